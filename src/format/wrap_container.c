/* What container runtimes and their tools put before a line.
 *
 *     2026-11-30T03:25:00.398123456Z stdout F line         CRI: containerd, CRI-O; P = a part
 *     web-1  | line                                        docker compose, names in colour or not
 *     pod/web-7d9c nginx | line                            the same with two words
 *     [pod/web-7d9c/nginx] line                            kubectl logs --prefix
 *
 * Source: Kubernetes, design of the CRI log format; kubectl; docker compose.  */
#include "base/hash.h"
#include "format/wrap.h"

#include <string.h>

enum { NAME_MAX_LEN = 120, STAMP_MAX = 40 };

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '.' || c == '_' || c == '-' || c == '/' || c == ':';
}

/* ---- CRI ---- */

static bool take(lk_slice *s, const char *text)
{
    if (!lk_slice_starts(*s, text))
        return false;
    *s = lk_slice_skip(*s, strlen(text));
    return true;
}

/* "F " or "P ", also "F:" and more tags; the first design of the format had none. */
static lk_part take_tag(lk_slice *s)
{
    size_t n = 1;
    bool is_part = s->len > 0 && s->p[0] == 'P';

    if (s->len == 0 || (s->p[0] != 'F' && s->p[0] != 'P'))
        return LK_PART_WHOLE;
    if (n < s->len && s->p[n] == ':')
        while (n < s->len && s->p[n] != ' ')
            n++;
    if (n < s->len && s->p[n] != ' ')
        return LK_PART_WHOLE;
    *s = lk_slice_skip(*s, n + 1);
    return is_part ? LK_PART_MARKED : LK_PART_WHOLE;
}

static bool peel_cri(lk_slice line, lk_room *room, lk_peeled *out)
{
    size_t max = line.len < STAMP_MAX ? line.len : STAMP_MAX;
    const char *blank = line.len > 20 && line.p[4] == '-' ? memchr(line.p, ' ', max) : NULL;
    lk_slice rest;

    (void)room;
    if (!blank || line.p[10] != 'T')
        return false;
    rest = lk_slice_skip(line, (size_t)(blank - line.p) + 1);
    *out = (lk_peeled){ .stamp = { { line.p, (size_t)(blank - line.p) }, LK_OUTER_TEXT } };
    if (take(&rest, "stderr"))
        out->source = 2;
    else if (take(&rest, "stdout"))
        out->source = 1;
    else
        return false;
    if (rest.len > 0 && !take(&rest, " "))
        return false;
    out->part = take_tag(&rest);
    out->text = rest;
    return true;
}

/* ---- colours ---- */

/* Past one "ESC [ ... m" (or K) at the front. */
static bool take_colour(lk_slice *s)
{
    size_t n = 2;

    if (s->len < 3 || s->p[0] != '\x1b' || s->p[1] != '[')
        return false;
    while (n < s->len && n < 24 && ((s->p[n] >= '0' && s->p[n] <= '9') || s->p[n] == ';'))
        n++;
    if (n == s->len || (s->p[n] != 'm' && s->p[n] != 'K'))
        return false;
    *s = lk_slice_skip(*s, n + 1);
    return true;
}

static void skip_colours_and_blanks(lk_slice *s)
{
    while (take_colour(s) || take(s, " "))
        ;
}

/* Those behind the line. */
static lk_slice without_reset(lk_slice s)
{
    const char *p;

    s = lk_wrap_trimmed(s);
    for (;;) {
        size_t n = s.len;
        lk_slice tail;

        while (n > 0 && s.len - n < 24 && s.p[n - 1] != '\x1b')
            n--;
        if (n == 0 || s.p[n - 1] != '\x1b')
            return s;
        p = s.p + n - 1;
        tail = (lk_slice){ p, (size_t)(s.p + s.len - p) };
        if (!take_colour(&tail) || tail.len > 0)
            return s;
        s.len = n - 1;
        s = lk_wrap_trimmed(s);
    }
}

static bool peel_colour(lk_slice line, lk_room *room, lk_peeled *out)
{
    (void)room;
    if (!take_colour(&line))
        return false;
    skip_colours_and_blanks(&line);
    *out = (lk_peeled){ .text = without_reset(line) };
    return true;
}

/* ---- names ---- */

static bool take_name(lk_slice *s)
{
    size_t n = 0;

    while (n < s->len && n < NAME_MAX_LEN && is_word_byte(s->p[n]))
        n++;
    *s = lk_slice_skip(*s, n);
    return n > 0;
}

static bool peel_compose(lk_slice line, lk_room *room, lk_peeled *out)
{
    lk_slice rest = line;

    (void)room;
    if (!take_name(&rest))
        return false;
    if (rest.len > 1 && rest.p[0] == ' ' && is_word_byte(rest.p[1])) {
        rest = lk_slice_skip(rest, 1);
        (void)take_name(&rest);
    }
    while (take(&rest, " "))
        ;
    if (!take(&rest, "|"))
        return false;
    if (rest.len > 0 && rest.p[0] != ' ' && rest.p[0] != '\x1b')
        return false;
    *out = (lk_peeled){ .source = lk_hash(line.p, (size_t)(rest.p - line.p)) };
    skip_colours_and_blanks(&rest);
    out->text = without_reset(rest);
    return true;
}

static bool peel_kubectl(lk_slice line, lk_room *room, lk_peeled *out)
{
    size_t max = line.len < 2 * NAME_MAX_LEN ? line.len : 2 * NAME_MAX_LEN;
    const char *close = line.len > 2 && line.p[0] == '[' ? memchr(line.p, ']', max) : NULL;

    (void)room;
    if (!close || close - line.p < 2)
        return false;
    for (const char *p = line.p + 1; p < close; p++)
        if (!is_word_byte(*p) && *p != ' ')
            return false;
    if (close + 1 < line.p + line.len && close[1] != ' ')
        return false;
    *out = (lk_peeled){
        .text = lk_wrap_trimmed(lk_slice_skip(line, (size_t)(close - line.p) + 2)),
        .source = lk_hash(line.p, (size_t)(close - line.p)),
    };
    return true;
}

/* ---- rows ---- */

const lk_wrapper LK_WRAP_CRI = {
    .name = "cri",
    .help = "containerd and CRI-O, parts joined",
    .is_sure = true,
    .peel = peel_cri,
};

const lk_wrapper LK_WRAP_COMPOSE = {
    .name = "compose",
    .help = "a name and a bar, as docker compose logs puts them",
    .is_sure = true,
    .peel = peel_compose,
};

const lk_wrapper LK_WRAP_KUBECTL = {
    .name = "kubectl",
    .help = "a name in brackets, as kubectl logs --prefix puts it",
    .is_sure = true,
    .peel = peel_kubectl,
};

const lk_wrapper LK_WRAP_COLOUR = {
    .name = "colour",
    .help = "colours of a terminal around a line",
    .is_sure = true,
    .peel = peel_colour,
};
