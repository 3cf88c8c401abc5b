#include "format/json_lines.h"
#include "base/seek.h"
#include "format/value.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

typedef struct scanner {
    const char *p, *end;
    const lk_json_paths *paths;
    lk_key_guess *keys; /* of the cache */
    size_t place;       /* of the next key in the line */
    lk_jsonl *out;
} scanner;

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static inline void skip_blanks(scanner *s)
{
    while (s->p < s->end && is_blank(*s->p))
        s->p++;
}

static inline bool take(scanner *s, char c)
{
    if (s->p == s->end || *s->p != c)
        return false;
    s->p++;
    return true;
}

/* ---- strings ---- */

/* p stands behind the opening quote; *text is what is between the quotes. */
static inline bool take_string(scanner *s, lk_slice *text, bool *escaped)
{
    const char *first = s->p, *p = first;

    *escaped = false;
    for (;;) {
        p = lk_seek_quote(p, s->end);
        if (p == s->end)
            return false;
        if (*p == '"')
            break;
        *escaped = true;
        for (; p < s->end && *p == '\\'; p += 2)
            if (s->end - p < 2)
                return false;
    }
    *text = (lk_slice){ first, (size_t)(p - first) };
    s->p = p + 1;
    return true;
}

/* ---- values ---- */

/* The levels of a nested value: bit 0 of `objects` says that the innermost is an object. */
typedef struct nesting {
    uint64_t objects;
    unsigned depth;
} nesting;

enum { DEPTH_MAX = 64 };

/* One bracket; false when it does not match or is one too many. */
static bool take_bracket(nesting *n, char c)
{
    if (c == '{' || c == '[') {
        n->objects = n->objects << 1 | (c == '{');
        return n->depth++ < DEPTH_MAX;
    }
    if ((n->objects & 1) != (c == '}'))
        return false;
    n->objects >>= 1;
    n->depth--;
    return true;
}

static bool is_bracket(char c)
{
    return c == '{' || c == '[' || c == '}' || c == ']';
}

/* An array or object, brackets matched and strings told from what is around them, no more. */
static bool skip_nested(scanner *s)
{
    nesting n = { 0, 0 };
    lk_slice text;
    bool escaped;

    do {
        char c;

        if (s->p == s->end)
            return false;
        c = *s->p++;
        if (c == '"' && !take_string(s, &text, &escaped))
            return false;
        if (is_bracket(c) && !take_bracket(&n, c))
            return false;
    } while (n.depth > 0);
    return true;
}

/* Of numbers, and of lists of them. */
static inline bool is_bare_byte(char c)
{
    static const bool BARE[256] = {
        ['0'] = true, ['1'] = true, ['2'] = true,  ['3'] = true,  ['4'] = true,
        ['5'] = true, ['6'] = true, ['7'] = true,  ['8'] = true,  ['9'] = true,
        ['.'] = true, ['-'] = true, ['+'] = true,  ['e'] = true,  ['E'] = true,
        [':'] = true, [' '] = true, ['\t'] = true, ['\r'] = true, ['\n'] = true,
    };

    return BARE[(unsigned char)c];
}

static bool is_literal(lk_slice s)
{
    return lk_slice_is(s, "null") || lk_slice_is(s, "true") || lk_slice_is(s, "false");
}

/* A number, a literal, or what an unquoted variable left there. */
static bool take_bare(scanner *s, lk_slice *text)
{
    const char *first = s->p, *p = first;
    bool plain = true;

    for (; p < s->end && *p != ',' && *p != '}'; p++)
        plain &= is_bare_byte(*p);
    s->p = p;
    while (p > first && is_blank(p[-1]))
        p--;
    *text = (lk_slice){ first, (size_t)(p - first) };
    if (plain)
        return true;
    if (!is_literal(*text))
        return false;
    *text = LK_SLICE_NONE;
    return true;
}

/* The first of an array, when it is a text or a number; p stands behind the bracket. */
static void take_first(scanner s, lk_jsonl_value *v)
{
    const char *first;

    skip_blanks(&s);
    if (take(&s, '"')) {
        v->quoted = true;
        (void)take_string(&s, &v->text, &v->escaped);
        return;
    }
    first = s.p;
    while (s.p < s.end && is_bare_byte(*s.p) && !is_blank(*s.p))
        s.p++;
    if (s.p > first)
        v->text = (lk_slice){ first, (size_t)(s.p - first) };
}

static bool take_value(scanner *s, bool wanted, lk_jsonl_value *v)
{
    *v = (lk_jsonl_value){ .quoted = false };
    if (s->p == s->end)
        return false;
    if (*s->p == '"') {
        s->p++;
        v->quoted = true;
        return take_string(s, &v->text, &v->escaped);
    }
    if (*s->p == '[' && wanted) {
        scanner inside = *s;

        inside.p++;
        take_first(inside, v);
    }
    if (*s->p == '{' || *s->p == '[')
        return skip_nested(s);
    return take_bare(s, &v->text);
}

/* ---- members ---- */

static void keep_guess(const scanner *s, lk_key_guess *guess, lk_slice key, uint8_t row, uint16_t object)
{
    memset(guess->text, 0, sizeof(guess->text));
    memcpy(guess->text, key.p, key.len);
    memcpy(guess->text + key.len, "\":", 2);
    guess->len = (uint8_t)key.len;
    guess->row = row;
    guess->object = object;
    if (row == LK_JSONL_ROW_OTHER)
        return;
    guess->field = lk_jsonl_row_meaning(s->paths, row)->field;
    guess->sign = lk_jsonl_row_meaning(s->paths, row)->sign;
}

/* The same key as at this place of the last line, mostly: then one comparison finds its row. */
static bool take_key(scanner *s, uint16_t object, lk_slice *key, uint8_t *row)
{
    lk_key_guess *guess = s->place < LK_CACHE_KEYS ? &s->keys[s->place++] : NULL;
    bool escaped;

    if (guess && guess->len > 0 && s->end - s->p > guess->len && s->p[guess->len] == '"' &&
        guess->object == object && memcmp(s->p, guess->text, guess->len) == 0) {
        *key = (lk_slice){ s->p, guess->len };
        *row = guess->row;
        s->p += guess->len + 1;
        return true;
    }
    if (!take_string(s, key, &escaped) || escaped)
        return false;
    *row = lk_jsonl_row_in(s->paths, object, *key);
    if (guess && key->len <= LK_CACHE_KEY_MAX)
        keep_guess(s, guess, *key, *row, object);
    return true;
}

/* The guess and what stands at p, of which there are LK_KEY_GUESS_ROOM bytes: key, quote and colon. */
static inline bool is_as_guessed(const lk_key_guess *guess, const char *p)
{
    const size_t len = guess->len + 2U;

#ifdef __SSE2__
    const __m128i *a = (const __m128i *)(const void *)guess->text, *b = (const __m128i *)(const void *)p;
    const __m128i low = _mm_cmpeq_epi8(_mm_loadu_si128(a), _mm_loadu_si128(b));
    const __m128i high = _mm_cmpeq_epi8(_mm_loadu_si128(a + 1), _mm_loadu_si128(b + 1));
    const uint64_t same = (unsigned)_mm_movemask_epi8(low) | (uint64_t)(unsigned)_mm_movemask_epi8(high) << 16;

    return (~same & ((UINT64_C(1) << len) - 1)) == 0;
#else
    return memcmp(guess->text, p, len) == 0;
#endif
}

/* Behind the digits, points and signs at p. */
static inline const char *past_number(const char *p, const char *end)
{
#ifdef __SSE2__
    if (end - p >= 16) { /* from '-' to '9' but for '/', which is none of them */
        const __m128i here = _mm_loadu_si128((const __m128i *)(const void *)p);
        const __m128i from_minus = _mm_sub_epi8(here, _mm_set1_epi8('-'));
        const __m128i is_near = _mm_cmpeq_epi8(_mm_min_epu8(from_minus, _mm_set1_epi8('9' - '-')), from_minus);
        const __m128i is_slash = _mm_cmpeq_epi8(here, _mm_set1_epi8('/'));
        const unsigned none = ~(unsigned)_mm_movemask_epi8(_mm_andnot_si128(is_slash, is_near)) & 0xffff;

        if (none)
            return p + __builtin_ctz(none);
    }
#endif
    while (p < end && ((*p >= '0' && *p <= '9') || *p == '.' || *p == '-'))
        p++;
    return p;
}

/* A member as nearly all are: the key that is expected there, and a text without escapes or a number, with no
 * blanks.  p stands behind the opening quote of the key.  Returns what is behind the value, which is a byte of
 * the line; NULL, and nothing was taken, where it takes a closer look. */
static inline const char *plain_member(scanner *s, uint16_t object, const char *p)
{
    const char *end = s->end, *first;
    const lk_key_guess *guess;
    lk_slice key;
    bool quoted;

    if (s->place >= LK_CACHE_KEYS)
        return NULL;
    guess = &s->keys[s->place];
    if (guess->len == 0 || guess->object != object)
        return NULL;
    if (end - p > LK_KEY_GUESS_ROOM ? !is_as_guessed(guess, p)
                                    : end - p <= guess->len + 2 || memcmp(guess->text, p, guess->len + 2U) != 0)
        return NULL;
    key = (lk_slice){ p, guess->len };
    p += guess->len + 2;
    quoted = *p == '"';
    first = p + quoted;
    p = quoted ? lk_seek_quote(first, end) : past_number(first, end);
    if (p == end || (quoted ? *p != '"' || p + 1 == end : p == first || (*p != ',' && *p != '}')))
        return NULL;
    s->place++;
    if (guess->row != LK_JSONL_ROW_OTHER)
        lk_jsonl_put_as(s->out, guess->field, guess->sign, guess->row, key,
                        (lk_slice){ first, (size_t)(p - first) }, quoted, false);
    return p + quoted;
}

/* Plain members as long as they come; p stands behind the opening quote of a key.  ITEM: behind that of one that
 * is to be looked at more closely; END: past the brace.  FAIL: neither follows the last value, where s->p is. */
static lk_step take_plain(scanner *s, uint16_t object)
{
    const char *p = s->p, *past;

    while ((past = plain_member(s, object, p)) != NULL) {
        if (*past != ',' || s->end - past < 2 || past[1] != '"') {
            s->p = past + (*past == '}');
            return *past == '}' ? LK_STEP_END : LK_STEP_FAIL;
        }
        p = past + 2;
    }
    s->p = p;
    return LK_STEP_ITEM;
}

static bool take_members(scanner *s, uint16_t object);

/* An object that the table names is entered; paths are bounded, so is the depth of this. */
static bool take_object(scanner *s, uint16_t object, lk_slice key)
{
    uint16_t inner = lk_jsonl_object_in(s->paths, object, key);

    if (inner == 0)
        return skip_nested(s);
    s->p++;
    return take_members(s, inner);
}

/* Of an array the first element is entered, when it is an object that the table names. */
static bool take_array(scanner *s, uint16_t object, lk_slice key)
{
    scanner inside = *s;
    uint16_t inner;

    inside.p++;
    skip_blanks(&inside);
    if (!skip_nested(s))
        return false;
    inside.end = s->p;
    if (!take(&inside, '{') || (inner = lk_jsonl_object_in(s->paths, object, key)) == 0)
        return true;
    if (!take_members(&inside, inner))
        return false;
    s->place = inside.place;
    return true;
}

/* Does the array at s begin with an object? */
static bool is_array_of_objects(scanner s)
{
    if (!take(&s, '['))
        return false;
    skip_blanks(&s);
    return s.p < s.end && *s.p == '{';
}

/* `"key": value`; s stands behind the key's opening quote. */
static bool take_member(scanner *s, uint16_t object)
{
    lk_jsonl_value v;
    lk_slice key;
    uint8_t row;
    bool nested, is_array;

    if (!take_key(s, object, &key, &row))
        return false;
    skip_blanks(s);
    if (!take(s, ':'))
        return false;
    skip_blanks(s);
    nested = s->p < s->end && *s->p == '{';
    is_array = !nested && is_array_of_objects(*s);
    if (nested || is_array)
        v = (lk_jsonl_value){ .quoted = false };
    else if (!take_value(s, row != LK_JSONL_ROW_OTHER, &v))
        return false;
    if (row != LK_JSONL_ROW_OTHER)
        lk_jsonl_put_in(s->out, s->paths, row, key, &v);
    if (is_array)
        return take_array(s, object, key);
    return !nested || take_object(s, object, key);
}

/* Behind a value: ITEM and past the opening quote of the next key, END past the last brace.  In
 * between may stand the rest of an unquoted list ("ut":0.001, 0.002,). */
static lk_step next_member(scanner *s)
{
    lk_slice text;

    skip_blanks(s);
    while (!take(s, '}')) {
        if (!take(s, ','))
            return LK_STEP_FAIL;
        skip_blanks(s);
        if (take(s, '"'))
            return LK_STEP_ITEM;
        if (!take_bare(s, &text) || text.len == 0)
            return LK_STEP_FAIL;
    }
    return LK_STEP_END;
}

/* Nothing but blanks and the comma of an array that is written one object a line. */
static bool ends_well(scanner *s)
{
    skip_blanks(s);
    (void)take(s, ',');
    skip_blanks(s);
    return s->p == s->end;
}

/* s stands behind the opening brace, at the end behind the closing one. */
static bool take_members(scanner *s, uint16_t object)
{
    lk_step more = LK_STEP_ITEM;

    skip_blanks(s);
    if (take(s, '}'))
        return true;
    if (!take(s, '"'))
        return false;
    while (more == LK_STEP_ITEM) {
        more = take_plain(s, object);
        if (more == LK_STEP_END)
            return true;
        if (more == LK_STEP_ITEM && !take_member(s, object))
            return false;
        more = next_member(s);
    }
    return more == LK_STEP_END;
}

/* Guesses are those of one set of paths. */
static lk_key_guess *guesses(lk_parse_cache *c, const lk_json_paths *paths)
{
    if (c->keys_tag != paths->tag) {
        for (size_t i = 0; i < LK_CACHE_KEYS; i++)
            c->keys[i].len = 0;
        c->keys_tag = paths->tag;
    }
    return c->keys;
}

bool lk_jsonl_scan(lk_parse_cache *c, const lk_json_paths *paths, lk_slice line, lk_jsonl *out)
{
    scanner s = { line.p, line.p + line.len, paths, guesses(c, paths), 0, out };

    lk_jsonl_clear(out);
    return take(&s, '{') && take_members(&s, LK_JSONL_ROOT) && ends_well(&s);
}

/* ---- taking escapes out ---- */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Four hex digits at p; false when there are none. */
static bool code_unit(const char *p, const char *end, uint32_t *out)
{
    *out = 0;
    if (end - p < 4)
        return false;
    for (size_t i = 0; i < 4; i++) {
        int digit = hex_digit(p[i]);

        if (digit < 0)
            return false;
        *out = *out << 4 | (uint32_t)digit;
    }
    return true;
}

static size_t utf8(uint32_t code, char out[4])
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xe0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3f));
    out[2] = (char)(0x80 | (code >> 6 & 0x3f));
    out[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

/* The four digits behind "\u", and a low surrogate behind a high one; half a pair gives U+FFFD. */
static const char *take_code_point(const char *p, const char *end, uint32_t *code)
{
    uint32_t low;

    if (!code_unit(p, end, code))
        return NULL;
    p += 4;
    if (*code < 0xd800 || *code > 0xdfff)
        return p;
    if (*code < 0xdc00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u' &&
        code_unit(p + 2, end, &low) && low >= 0xdc00 && low <= 0xdfff) {
        *code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
        return p + 6;
    }
    *code = 0xfffd;
    return p;
}

/* NUL for an escape that JSON does not know. */
static char escape_value(char c)
{
    switch (c) {
    case '"':
    case '\\':
    case '/': return c;
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return '\0';
    }
}

/* One escape at p, which stands on its backslash.  What JSON does not know stays as it is. */
static const char *take_escape(const char *p, const char *end, char out[4], size_t *n)
{
    const char *past;
    uint32_t code;

    *n = 1;
    out[0] = '\\';
    if (end - p < 2)
        return p + 1;
    if (p[1] == 'u' && (past = take_code_point(p + 2, end, &code))) {
        *n = utf8(code, out);
        return past;
    }
    if (!escape_value(p[1]))
        return p + 1;
    out[0] = escape_value(p[1]);
    return p + 2;
}

size_t lk_json_unescape(lk_slice text, char *room, size_t max)
{
    const char *p = text.p, *end = p + text.len;
    size_t len = 0, n;
    char bytes[4];

    while (p < end) {
        if (*p == '\\') {
            p = take_escape(p, end, bytes, &n);
        } else {
            bytes[0] = *p++;
            n = 1;
        }
        if (len + n > max)
            break;
        memcpy(room + len, bytes, n);
        len += n;
    }
    return len;
}

lk_slice lk_jsonl_unescaped(lk_parse_cache *c, const lk_jsonl_value *v, size_t max)
{
    char *room = lk_cache_room(c, &max);
    const size_t len = lk_json_unescape(v->text, room, max);
    lk_cache_keep(c, len);
    return (lk_slice){ room, len };
}
