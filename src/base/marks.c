#include "base/marks.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif
#if defined(__x86_64__) && defined(__GNUC__)
#define HAS_AVX2 1
#define WITH_AVX2 __attribute__((target("avx2,bmi,popcnt")))
#include <immintrin.h>
#endif

/* Bit i: the byte p[i] is a newline, is a quote. */
typedef struct masks {
    uint64_t newlines, quotes;
} masks;

#ifdef __SSE2__

static inline uint64_t bits(__m128i equal, int at)
{
    return (uint64_t)(unsigned)_mm_movemask_epi8(equal) << at;
}

static inline masks masks_of(const char *p)
{
    const __m128i newline = _mm_set1_epi8('\n'), quote = _mm_set1_epi8('"');
    masks m = { 0, 0 };

    for (int at = 0; at < LK_MARKS_STEP; at += 16) {
        const __m128i here = _mm_loadu_si128((const __m128i *)(const void *)(p + at));

        m.newlines |= bits(_mm_cmpeq_epi8(here, newline), at);
        m.quotes |= bits(_mm_cmpeq_epi8(here, quote), at);
    }
    return m;
}

#else

static inline masks masks_of(const char *p)
{
    masks m = { 0, 0 };

    for (int at = 0; at < LK_MARKS_STEP; at++) {
        m.newlines |= (uint64_t)(p[at] == '\n') << at;
        m.quotes |= (uint64_t)(p[at] == '"') << at;
    }
    return m;
}

#endif

/* Adds the places of the bits; there is room for all of them. */
static inline size_t spread(uint64_t mask, size_t from, uint16_t *out, size_t count)
{
    for (; mask; mask &= mask - 1)
        out[count++] = (uint16_t)(from + (size_t)__builtin_ctzll(mask));
    return count;
}

static inline bool has_room(const lk_marks *m)
{
    return m->line_count <= LK_MARKS_LINES && m->quote_count <= LK_MARKS_QUOTES;
}

static inline void add(lk_marks *m, masks found, bool wants_quotes)
{
    m->line_count = spread(found.newlines, m->len, m->lines, m->line_count);
    if (wants_quotes)
        m->quote_count = spread(found.quotes, m->len, m->quotes, m->quote_count);
}

/* The whole steps of a block. */
static void find_steps(lk_marks *m, const char *p, size_t len, bool wants_quotes)
{
    for (; len - m->len >= LK_MARKS_STEP && has_room(m); m->len += LK_MARKS_STEP)
        add(m, masks_of(p + m->len), wants_quotes);
}

#ifdef HAS_AVX2

static inline WITH_AVX2 masks masks_avx2(const char *p)
{
    const __m256i newline = _mm256_set1_epi8('\n'), quote = _mm256_set1_epi8('"');
    masks m = { 0, 0 };

    for (int at = 0; at < LK_MARKS_STEP; at += 32) {
        const __m256i here = _mm256_loadu_si256((const __m256i *)(const void *)(p + at));

        m.newlines |= (uint64_t)(unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(here, newline)) << at;
        m.quotes |= (uint64_t)(unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(here, quote)) << at;
    }
    return m;
}

/* Four at once, be there so many or not: most steps have no more, and none has to be guessed. */
static inline WITH_AVX2 size_t spread_avx2(uint64_t mask, size_t from, uint16_t *out, size_t count)
{
    const size_t all = count + (size_t)_mm_popcnt_u64(mask);

    for (int i = 0; i < 4; i++, mask &= mask - 1)
        out[count + (size_t)i] = (uint16_t)(from + _tzcnt_u64(mask));
    if (mask)
        (void)spread(mask, from, out, count + 4);
    return all;
}

static WITH_AVX2 void find_steps_avx2(lk_marks *m, const char *p, size_t len, bool wants_quotes)
{
    size_t at = 0, lines = 0, quotes = 0;

    for (; len - at >= LK_MARKS_STEP && lines <= LK_MARKS_LINES && quotes <= LK_MARKS_QUOTES;
         at += LK_MARKS_STEP) {
        const masks found = masks_avx2(p + at);

        if (found.newlines)
            lines = spread(found.newlines, at, m->lines, lines);
        if (wants_quotes)
            quotes = spread_avx2(found.quotes, at, m->quotes, quotes);
    }
    m->len = at;
    m->line_count = lines;
    m->quote_count = quotes;
}

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("popcnt");
}

#else

static void find_steps_avx2(lk_marks *m, const char *p, size_t len, bool wants_quotes)
{
    find_steps(m, p, len, wants_quotes);
}

static bool has_avx2(void)
{
    return false;
}

#endif

static void begin(lk_marks *m, const char *p)
{
    m->base = p;
    m->len = m->line_count = m->quote_count = 0;
}

/* What is left of a step, where the block goes as far. */
static void finish(lk_marks *m, const char *p, size_t len, bool wants_quotes)
{
    char last[LK_MARKS_STEP] = { 0 };

    if (len - m->len < LK_MARKS_STEP && has_room(m)) {
        memcpy(last, p + m->len, len - m->len);
        add(m, masks_of(last), wants_quotes);
        m->len = len;
    }
    m->quotes[m->quote_count] = UINT16_MAX;
}

static size_t within_block(size_t len)
{
    return len < LK_MARKS_BLOCK ? len : LK_MARKS_BLOCK;
}

void lk_marks_find_portably(lk_marks *m, const char *p, size_t len, bool wants_quotes)
{
    len = within_block(len);
    begin(m, p);
    find_steps(m, p, len, wants_quotes);
    finish(m, p, len, wants_quotes);
}

void lk_marks_find(lk_marks *m, const char *p, size_t len, bool wants_quotes)
{
    len = within_block(len);
    begin(m, p);
    if (has_avx2())
        find_steps_avx2(m, p, len, wants_quotes);
    else
        find_steps(m, p, len, wants_quotes);
    finish(m, p, len, wants_quotes);
}
