#include "format/cache.h"

#include "base/time.h"
#include "base/word.h"

#include <string.h>

void lk_parse_cache_init(lk_parse_cache *c)
{
    c->stamp_len = c->digits_at = 0;
    c->text_len = 0;
    c->keys_tag = 0;
    c->w3c.count = 0;
    c->quotes = LK_QUOTES_UNKNOWN;
    c->w3c_names_len = 0;
    c->body = LK_SLICE_NONE;
    c->row = NULL;
    c->outer = NULL;
    c->no_memory = false;
    for (size_t i = 0; i < LK_CACHE_KEYS; i++)
        c->keys[i].len = 0;
}

bool lk_stamp_is_plausible(int64_t at_ns)
{
    return at_ns >= 0 && at_ns < LK_STAMP_MAX_NS;
}

/* A stamp is 16 to 32 bytes long as a rule: two halves that overlap. */
static bool same_stamp(const char *a, const char *b, size_t len)
{
    uint64_t x[4], y[4];

    if (len < 16 || len > 32)
        return memcmp(a, b, len) == 0;
    memcpy(x, a, 16);
    memcpy(x + 2, a + len - 16, 16);
    memcpy(y, b, 16);
    memcpy(y + 2, b + len - 16, 16);
    return ((x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]) | (x[3] ^ y[3])) == 0;
}

bool lk_cache_stamp(lk_parse_cache *c, lk_slice text, lk_stamp_reader *read, int64_t *at_ns,
                    bool *fraction)
{
    if (text.len > 0 && text.len == c->stamp_len && same_stamp(text.p, c->stamp, text.len)) {
        *at_ns = c->stamp_ns;
        *fraction = c->stamp_fraction;
        return true;
    }
    if (!read(text, at_ns, fraction) || !lk_stamp_is_plausible(*at_ns))
        return false;
    if (text.len <= LK_CACHE_STAMP_MAX) {
        memcpy(c->stamp, text.p, text.len);
        c->stamp_len = text.len;
        c->digits_at = 0;
        c->stamp_ns = *at_ns;
        c->stamp_fraction = *fraction;
    }
    return true;
}

/* Where the digits behind "ss." stand in a stamp that was just read, and the instant without them. */
static void keep_second(lk_parse_cache *c, lk_slice text)
{
    enum { DIGITS_MAX = 9 };
    const char *point = text.len > 0 ? memchr(text.p, '.', text.len) : NULL;
    size_t at = point ? (size_t)(point - text.p) + 1 : 0, past = at;

    c->digits_at = 0;
    if (at < 4 || text.p[at - 4] != ':' || text.len > LK_CACHE_STAMP_MAX)
        return;
    if (text.p[at - 3] == '6') /* a leap second is read as the end of the one before */
        return;
    while (past < text.len && text.p[past] >= '0' && text.p[past] <= '9')
        past++;
    if (past == at || past - at > DIGITS_MAX)
        return;
    c->digits_at = at;
    c->digits_past = past;
    c->digit_ns = LK_NS_PER_S;
    for (size_t i = at; i < past; i++)
        c->digit_ns /= 10;
    c->second_ns = c->stamp_ns - c->stamp_ns % LK_NS_PER_S;
}

/* As short as what stands behind those digits. */
static bool same_zone(const char *a, const char *b, size_t len)
{
    return len == 0 || (len < 8 ? lk_word_short(a, len) == lk_word_short(b, len) : memcmp(a, b, len) == 0);
}

/* The stamp that was read last but for those digits. */
static bool in_same_second(const lk_parse_cache *c, lk_slice text, int64_t *at_ns)
{
    int64_t ns = 0;

    if (!c->digits_at || text.len != c->stamp_len || !same_stamp(text.p, c->stamp, c->digits_at) ||
        !same_zone(text.p + c->digits_past, c->stamp + c->digits_past, text.len - c->digits_past))
        return false;
    for (size_t i = c->digits_at; i < c->digits_past; i++) {
        if (text.p[i] < '0' || text.p[i] > '9')
            return false;
        ns = ns * 10 + (text.p[i] - '0');
    }
    *at_ns = c->second_ns + ns * c->digit_ns;
    return true;
}

bool lk_cache_clock(lk_parse_cache *c, lk_slice text, lk_stamp_reader *read, int64_t *at_ns,
                    bool *fraction)
{
    if (in_same_second(c, text, at_ns)) {
        *fraction = true;
        return true;
    }
    if (!lk_cache_stamp(c, text, read, at_ns, fraction))
        return false;
    if (text.len == c->stamp_len && *at_ns == c->stamp_ns)
        keep_second(c, text);
    return true;
}

char *lk_cache_room(lk_parse_cache *c, size_t *max)
{
    if (*max > LK_CACHE_TEXT - c->text_len)
        *max = LK_CACHE_TEXT - c->text_len;
    return c->text + c->text_len;
}

void lk_cache_keep(lk_parse_cache *c, size_t len)
{
    c->text_len += len;
}
