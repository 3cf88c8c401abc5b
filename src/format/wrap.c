#include "format/wrap.h"

#include <stdlib.h>
#include <string.h>

const lk_wrapper *const LK_WRAPPERS[] = {
    &LK_WRAP_DOCKER,       &LK_WRAP_JOURNALD, &LK_WRAP_JSON,     &LK_WRAP_RFC5424,
    &LK_WRAP_PRI,          &LK_WRAP_RFC3164,  &LK_WRAP_RFC3164_WORD,
    &LK_WRAP_RFC3164_HOST, &LK_WRAP_RFC3164_BARE,                &LK_WRAP_CRI,
    &LK_WRAP_ISO,          &LK_WRAP_ISO_WORD, &LK_WRAP_ISO_BARE, &LK_WRAP_ISO_HOST,
    &LK_WRAP_KUBECTL,      &LK_WRAP_COMPOSE,  &LK_WRAP_COLOUR,   NULL,
};

const char *lk_wrap_name(const lk_wrapper *w)
{
    return w ? w->name : "journald-export";
}

enum { ROOM_MIN = 4096, NAMES_MAX = 120 };

char *lk_room_reserve(lk_room *room, size_t len)
{
    size_t cap = room->cap ? room->cap : ROOM_MIN;
    char *p;

    if (len <= room->cap)
        return room->p;
    while (cap < len)
        cap *= 2;
    p = realloc(room->p, cap);
    if (!p) {
        room->failed = true;
        return NULL;
    }
    room->p = p;
    room->cap = cap;
    return p;
}

void lk_room_release(lk_room *room)
{
    free(room->p);
    *room = (lk_room){ .p = NULL };
}

lk_slice lk_wrap_trimmed(lk_slice s)
{
    while (s.len > 0 && (s.p[s.len - 1] == '\n' || s.p[s.len - 1] == '\r' ||
                         s.p[s.len - 1] == ' ' || s.p[s.len - 1] == '\t'))
        s.len--;
    return s;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "2026-11-30T", or the "83 <" of a syslog stream that counts its bytes. */
static bool digits_may_begin(lk_slice line)
{
    size_t n = 1;

    if (line.len > 10 && line.p[4] == '-' && line.p[7] == '-')
        return true;
    if (line.p[1] == '.' || line.p[2] == '.' || line.p[3] == '.')
        return false;
    while (n < 7 && is_digit(line.p[n]))
        n++;
    return line.p[n] == ' ' && line.p[n + 1] == '<';
}

/* "Nov 30 03:", or a name and a bar. */
static bool letters_may_begin(lk_slice line)
{
    size_t max = line.len < NAMES_MAX ? line.len : NAMES_MAX, n = 0;

    if (line.p[3] == ' ' && line.p[6] == ' ' && (line.p[9] == ':' || is_digit(line.p[9])))
        return true;
    if (lk_slice_starts(line, "MESSAGE"))
        return true;
    for (size_t words = 0; words < 2 && n < max; words++) {
        while (n < max && line.p[n] != ' ' && line.p[n] != '\t')
            n++;
        while (n < max && line.p[n] == ' ')
            n++;
        if (n < max && line.p[n] == '|')
            return true;
        if (n < max && line.p[n] == '-') /* the ident of an access line */
            return false;
    }
    return false;
}

bool lk_wrap_may_begin(lk_slice line)
{
    if (line.len < 10)
        return line.len > 1 && (line.p[0] == '<' || line.p[0] == '{' || line.p[0] == '\x1b' ||
                                line.p[0] == '_' || memchr(line.p, '|', line.len));
    if (is_digit(line.p[0]))
        return digits_may_begin(line);
    if (is_letter(line.p[0]))
        return letters_may_begin(line);
    switch (line.p[0]) {
    case '<':
    case '{':
    case '_':
    case '\x1b': return true;
    case '[': return is_letter(line.p[1]);
    default: return false;
    }
}
