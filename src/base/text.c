#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct range {
    uint32_t first, last;
} range;

/* clang-format off */
/* What a terminal, a browser or a reader's eye would act on instead of showing. */
static const range UNSAFE[] = {
    { 0x0000, 0x001f }, { 0x007f, 0x009f }, /* C0, DEL, C1                                */
    { 0x061c, 0x061c },                     /* Arabic letter mark                         */
    { 0x200b, 0x200f },                     /* zero width, left-to-right, right-to-left   */
    { 0x2028, 0x202e },                     /* line, paragraph, embeddings and overrides  */
    { 0x2060, 0x2064 }, { 0x2066, 0x206f }, /* word joiner, invisibles; isolates          */
    { 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, /* byte-order mark; interlinear annotation    */
    { 0xe0000, 0xe007f },                   /* tags                                       */
};

/* East Asian Wide and Fullwidth, in whole blocks; UAX #11. */
static const range WIDE[] = {
    { 0x1100, 0x115f }, { 0x2e80, 0x303e }, { 0x3041, 0xa4cf }, { 0xa960, 0xa97f },
    { 0xac00, 0xd7a3 }, { 0xf900, 0xfaff }, { 0xfe30, 0xfe6f }, { 0xff00, 0xff60 },
    { 0xffe0, 0xffe6 }, { 0x1f300, 0x1f64f }, { 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd },
};
/* clang-format on */

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static bool is_in(const range *ranges, size_t count, uint32_t point)
{
    for (size_t i = 0; i < count; i++)
        if (point >= ranges[i].first && point <= ranges[i].last)
            return true;
    return false;
}

/* ---- UTF-8 ---- */

/* Length, first bits and smallest code point by lead byte; anything smaller is overlong. */
typedef struct lead {
    unsigned char mask, value;
    size_t len;
    uint32_t smallest;
} lead;

static const lead LEADS[] = {
    { 0x80, 0x00, 1, 0x0 },
    { 0xe0, 0xc0, 2, 0x80 },
    { 0xf0, 0xe0, 3, 0x800 },
    { 0xf8, 0xf0, 4, 0x10000 },
};

static const lead *lead_of(unsigned char byte)
{
    for (size_t i = 0; i < COUNT_OF(LEADS); i++)
        if ((byte & LEADS[i].mask) == LEADS[i].value)
            return &LEADS[i];
    return NULL;
}

/* Bytes of the code point that s (not empty) begins with; 0 when it is not UTF-8. */
static size_t decode(lk_slice s, uint32_t *point)
{
    const lead *l = lead_of((unsigned char)s.p[0]);
    uint32_t value;

    if (!l || l->len > s.len)
        return 0;
    value = (unsigned char)s.p[0] & (unsigned char)~l->mask;
    for (size_t i = 1; i < l->len; i++) {
        unsigned char byte = (unsigned char)s.p[i];

        if ((byte & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (byte & 0x3f);
    }
    if (value < l->smallest || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
        return 0;
    *point = value;
    return l->len;
}

static size_t columns_of(uint32_t point)
{
    return is_in(WIDE, COUNT_OF(WIDE), point) ? 2 : 1;
}

/* ---- pieces: one code point or bad byte, as it comes out ---- */

typedef struct piece {
    char text[16];
    size_t len, columns;
    size_t took; /* bytes of input */
} piece;

static piece plain(lk_slice s, uint32_t point, size_t len)
{
    piece out = { .len = len, .columns = columns_of(point), .took = len };

    memcpy(out.text, s.p, len);
    return out;
}

static piece byte_escape(unsigned char byte)
{
    piece out = { .len = 4, .columns = 4, .took = 1 };

    (void)snprintf(out.text, sizeof(out.text), "\\x%02x", byte);
    return out;
}

static piece point_escape(uint32_t point, size_t took)
{
    piece out = { .took = took };

    out.len = (size_t)snprintf(out.text, sizeof(out.text), "\\u{%04x}", (unsigned)point);
    out.columns = out.len;
    return out;
}

static piece piece_at(lk_slice s)
{
    uint32_t point;
    size_t len = decode(s, &point);

    if (len == 0)
        return byte_escape((unsigned char)s.p[0]);
    if (!is_in(UNSAFE, COUNT_OF(UNSAFE), point))
        return plain(s, point, len);
    return len == 1 ? byte_escape((unsigned char)s.p[0]) : point_escape(point, len);
}

/* Bytes of safe text that fit `max` columns; *whole when that is all of s. */
static size_t fit(lk_slice s, size_t max, bool *whole)
{
    size_t len = 0, columns = 0;

    while (s.len > 0) {
        piece next = piece_at(s);

        if (next.columns > max - columns)
            break;
        columns += next.columns;
        len += next.len;
        s = lk_slice_skip(s, next.took);
    }
    *whole = s.len == 0;
    return len;
}

/* The first `len` bytes of safe text. */
static void write_pieces(lk_slice s, size_t len, char *out)
{
    for (size_t at = 0; at < len;) {
        piece next = piece_at(s);

        memcpy(out + at, next.text, next.len);
        at += next.len;
        s = lk_slice_skip(s, next.took);
    }
}

char *lk_text_safe(lk_arena *a, lk_slice s, size_t max)
{
    size_t dots = 0, len;
    bool whole;
    char *out;

    len = fit(s, max, &whole);
    if (!whole) {
        dots = max < 3 ? max : 3;
        len = fit(s, max - dots, &whole);
    }
    out = LK_NEW(a, char, len + dots + 1);
    if (!out)
        return NULL;
    write_pieces(s, len, out);
    memset(out + len, '.', dots);
    return out;
}

size_t lk_text_width(const char *text)
{
    lk_slice s = lk_slice_from(text);
    size_t columns = 0;

    while (s.len > 0) {
        uint32_t point = 0;
        size_t len = decode(s, &point);

        columns += columns_of(point);
        s = lk_slice_skip(s, len == 0 ? 1 : len);
    }
    return columns;
}
