#include "format/timeless.h"

#include "format/tokens.h"

#include <string.h>

enum { ROOM = 1024, WORDS_MAX = LK_TIMELESS_WORDS };

/* ---- words ---- */

static bool is_sgr_byte(char c)
{
    return (c >= '0' && c <= '9') || c == ';';
}

/* Without "ESC[32m", cut at `max`. */
static lk_slice without_colours(lk_slice line, char *room, size_t max)
{
    size_t n = 0, i = 0;

    while (i < line.len && n < max) {
        size_t k = i + 2;

        if (line.p[i] == '\x1b' && k <= line.len && line.p[i + 1] == '[') {
            while (k < line.len && is_sgr_byte(line.p[k]))
                k++;
            if (k < line.len && line.p[k] == 'm') {
                i = k + 1;
                continue;
            }
        }
        room[n++] = line.p[i++];
    }
    return (lk_slice){ room, n };
}

static size_t split(lk_slice line, lk_slice words[WORDS_MAX])
{
    const char *p = line.p, *end = p + line.len;
    size_t n = 0;
    lk_slice word;

    while (n < WORDS_MAX && (word = lk_token_take(&p, end)).len > 0)
        words[n++] = word;
    return n;
}

static bool is_dash(lk_slice s)
{
    return lk_slice_is(s, "-");
}

static bool is_number(lk_slice s, bool with_point)
{
    size_t points = 0;

    for (size_t i = 0; i < s.len; i++) {
        points += s.p[i] == '.';
        if (s.p[i] != '.' && (s.p[i] < '0' || s.p[i] > '9'))
            return false;
    }
    return s.len > 0 && points <= with_point;
}

static bool is_method(lk_slice s)
{
    for (size_t i = 0; i < s.len; i++)
        if ((s.p[i] < 'A' || s.p[i] > 'Z') && s.p[i] != '-')
            return false;
    return s.len >= 3 && s.p[0] != '-';
}

/* Three digits, or '-' for a response that was never sent. */
static bool is_status(lk_slice s)
{
    unsigned status;

    return is_dash(s) || (s.len == 3 && lk_token_status(s, &status));
}

static bool is_size(lk_slice s)
{
    return is_dash(s) || is_number(s, false);
}

static bool is_time(lk_slice s)
{
    return is_dash(s) || is_number(s, true);
}

/* ---- shapes ---- */

/* GET /p 200 1.234 ms - 5 */
static bool is_morgan_dev(const lk_slice *w, size_t n)
{
    return n == 7 && is_method(w[0]) && is_status(w[2]) && is_time(w[3]) && lk_slice_is(w[4], "ms") &&
           is_dash(w[5]) && is_size(w[6]);
}

/* GET /p 200 5 - 1.234 ms */
static bool is_morgan_tiny(const lk_slice *w, size_t n)
{
    return n == 7 && is_method(w[0]) && is_status(w[2]) && is_size(w[3]) && is_dash(w[4]) &&
           is_time(w[5]) && lk_slice_is(w[6], "ms");
}

/* 203.0.113.7 - GET /p HTTP/1.1 200 5 - 1.234 ms */
static bool is_morgan_short(const lk_slice *w, size_t n)
{
    return n == 10 && is_method(w[2]) && lk_slice_starts(w[4], "HTTP/") && is_status(w[5]) &&
           is_size(w[6]) && is_dash(w[7]) && is_time(w[8]) && lk_slice_is(w[9], "ms");
}

/* INFO:     203.0.113.7:51234 - "GET /p HTTP/1.1" 200 OK */
static bool is_uvicorn(const lk_slice *w, size_t n)
{
    return n >= 7 && w[0].len > 1 && w[0].p[w[0].len - 1] == ':' && is_dash(w[2]) &&
           w[3].p[0] == '"' && is_method(lk_slice_skip(w[3], 1)) && lk_slice_starts(w[5], "HTTP/") &&
           w[5].p[w[5].len - 1] == '"' && is_status(w[6]);
}

/* clang-format off */
static const struct {
    bool (*is)(const lk_slice *words, size_t count);
    lk_timeless_places at;
    lk_timeless row;
} SHAPES[] = {
    { is_morgan_dev,   { -1, 0, 1, 2, 3 },  { "morgan's 'dev' format",   "log with morgan('combined')" } },
    { is_morgan_tiny,  { -1, 0, 1, 2, 5 },  { "morgan's 'tiny' format",  "log with morgan('combined')" } },
    { is_morgan_short, { 0, 2, 3, 5, 8 },   { "morgan's 'short' format", "log with morgan('combined')" } },
    { is_uvicorn,      { 1, 3, 4, 6, -1 },  { "uvicorn's access log",    "put %(asctime)s at the front of the formatter "
                                                    "'access', and see uvicorn in lockstep-formats(5)" } },
};
static const lk_timeless JSON = {
    "a JSON log", "name the member that holds it with --json-keys time=KEY, or log one"
};
static const lk_timeless MEMBERS = {
    "a log of key=value", "log a time=, or keep the stamp that a log drain puts in front"
};
/* clang-format on */

enum { SHAPE_COUNT = sizeof(SHAPES) / sizeof(SHAPES[0]) };

/* SHAPE_COUNT = none. */
static size_t shape_of(lk_slice line, char *room, size_t max, lk_slice words[WORDS_MAX])
{
    size_t n, i;

    if (line.len > max)
        return SHAPE_COUNT;
    n = split(without_colours(line, room, max), words);
    for (i = 0; i < SHAPE_COUNT && !SHAPES[i].is(words, n); i++)
        ;
    return i;
}

const lk_timeless *lk_timeless_of(lk_slice line)
{
    lk_slice words[WORDS_MAX];
    char room[ROOM];
    size_t i = shape_of(line, room, ROOM, words);

    return i < SHAPE_COUNT ? &SHAPES[i].row : NULL;
}

const lk_timeless_places *lk_timeless_split(lk_slice line, char *room, size_t max,
                                            lk_slice words[WORDS_MAX])
{
    size_t i = shape_of(line, room, max, words);

    return i < SHAPE_COUNT ? &SHAPES[i].at : NULL;
}

const lk_timeless *lk_timeless_row(lk_slice line)
{
    const lk_timeless *row = lk_timeless_of(line);

    if (row)
        return row;
    return line.len > 0 && line.p[0] == '{' ? &JSON : &MEMBERS;
}
