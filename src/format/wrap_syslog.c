/* Syslog, as it travels and as it stands in files.
 *
 *     <134>1 2026-11-30T03:27:39.301206+00:00 host app procid msgid - msg       RFC 5424
 *     <190>Nov 30 03:25:00 host tag[pid]: msg                                   RFC 3164
 *     Nov 30 03:25:00 host tag[pid]: msg                                        rsyslog, traditional
 *     2026-11-30T03:27:39.301206+00:00 host tag[pid]: msg                       rsyslog, FileFormat
 *
 * HAProxy leaves the host out; a tag lacks its colon when it came in as RFC 5424.  A stream may count
 * the bytes of each message in front of it (RFC 6587).
 *
 * Source: RFC 3164, RFC 5424, RFC 6587; rsyslog's RSYSLOG_* templates.  */
#include "format/wrap.h"

#include <string.h>

enum { TAG_MAX = 128, HOST_MAX = 255, SD_MAX = 8192 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static lk_slice rest_from(lk_slice s, const char *p)
{
    return (lk_slice){ p, (size_t)(s.p + s.len - p) };
}

/* Up to a blank, and the blank. */
static lk_slice take_word(lk_slice *s)
{
    const char *blank = s->len > 0 ? memchr(s->p, ' ', s->len) : NULL;
    lk_slice word = { s->p, blank ? (size_t)(blank - s->p) : s->len };

    *s = lk_slice_skip(*s, word.len + (blank != NULL));
    return word;
}

static void skip_blanks(lk_slice *s)
{
    while (s->len > 0 && s->p[0] == ' ')
        *s = lk_slice_skip(*s, 1);
}

/* ---- tags ---- */

/* "nginx:", "haproxy[25083]:", "haproxy[25083]" */
static bool is_tag(lk_slice word)
{
    const char *open;

    if (word.len < 2 || word.len > TAG_MAX || word.p[0] == '"' || word.p[0] == '{' ||
        word.p[0] == '[' || word.p[0] == ':')
        return false;
    for (size_t i = 0; i < word.len; i++)
        if (word.p[i] <= ' ' || word.p[i] == '\x7f')
            return false;
    if (word.p[word.len - 1] == ':')
        return !memchr(word.p, '=', word.len);
    open = memchr(word.p, '[', word.len);
    if (!open || word.p[word.len - 1] != ']')
        return false;
    for (const char *p = open + 1; p < word.p + word.len - 1; p++)
        if (!is_digit(*p))
            return false;
    return true;
}

/* A program's name, and no address. */
static bool is_name(lk_slice word)
{
    if (word.len == 0 || word.len > TAG_MAX || !is_letter(word.p[0]))
        return false;
    for (size_t i = 0; i < word.len; i++)
        if (!is_letter(word.p[i]) && !is_digit(word.p[i]) && !memchr("._/()-", word.p[i], 6))
            return false;
    return true;
}

/* As words of hosts are: an address may be one too. */
static bool is_host(lk_slice word)
{
    if (word.len == 0 || word.len > HOST_MAX)
        return false;
    for (size_t i = 0; i < word.len; i++)
        if (!is_letter(word.p[i]) && !is_digit(word.p[i]) && !memchr("._-:%", word.p[i], 5))
            return false;
    return is_letter(word.p[0]) || is_digit(word.p[0]) || word.p[0] == ':';
}

typedef enum header { WITH_TAG, WITH_WORD, WITH_HOST, BARE } header;

/* The host and the tag, in the form that is asked for; *s is behind them. */
static bool take_header(header form, lk_slice *s)
{
    lk_slice rest = *s, first = take_word(&rest), second, after;

    if (form == BARE)
        return true;
    if (form == WITH_TAG && is_tag(first)) {
        *s = rest;
        return true;
    }
    if (!is_host(first) || rest.len == 0 || rest.p[0] == '-')
        return false;
    after = rest;
    second = take_word(&after);
    if (form == WITH_TAG && !is_tag(second))
        return false;
    if (form == WITH_WORD &&
        (is_tag(second) || !is_name(first) || !is_name(second) || after.len == 0 ||
         after.p[0] == '-'))
        return false;
    *s = form == WITH_HOST ? rest : after;
    return true;
}

static bool peel_header(header form, lk_slice stamp, lk_outer_kind kind, lk_slice rest,
                        lk_peeled *out)
{
    if (!take_header(form, &rest))
        return false;
    skip_blanks(&rest);
    *out = (lk_peeled){ .text = lk_wrap_trimmed(rest), .stamp = { stamp, kind } };
    return true;
}

/* ---- RFC 3164 ---- */

static bool is_clock(const char *p)
{
    return is_digit(p[0]) && is_digit(p[1]) && p[2] == ':' && is_digit(p[3]) && is_digit(p[4]) &&
           p[5] == ':' && is_digit(p[6]) && is_digit(p[7]);
}

/* Bytes of "Nov 30 03:25:00", with digits behind the seconds too; 0 when there is none. */
static size_t yearless_len(lk_slice line)
{
    const size_t seconds = sizeof("Nov 30 03:25:00") - 1;
    const char *p = line.p;
    size_t n = seconds;

    if (line.len <= seconds || !is_letter(p[0]) || p[3] != ' ' || p[6] != ' ' ||
        !(is_digit(p[4]) || p[4] == ' ') || !is_digit(p[5]) || !is_clock(p + 7))
        return 0;
    if (p[n] == '.')
        for (n++; n < line.len && is_digit(p[n]); n++)
            ;
    return n < line.len && p[n] == ' ' ? n : 0;
}

static bool peel_3164(header form, lk_slice line, lk_peeled *out)
{
    size_t n = yearless_len(line);

    return n > 0 && peel_header(form, (lk_slice){ line.p, n }, LK_OUTER_YEARLESS,
                                lk_slice_skip(line, n + 1), out);
}

/* ---- ISO stamps ---- */

/* Bytes of "2026-11-30T03:27:39.301206+00:00"; 0 when there is none. */
static size_t iso_len(lk_slice line)
{
    const size_t seconds = sizeof("2026-11-30T03:27:39") - 1;
    const char *p = line.p;
    size_t n = seconds;

    if (line.len <= seconds + 1 || p[4] != '-' || p[7] != '-' || (p[10] != 'T' && p[10] != 't') ||
        !is_digit(p[0]) || !is_digit(p[5]) || !is_digit(p[8]) || !is_clock(p + 11))
        return 0;
    while (n < line.len && n < seconds + 20 &&
           (is_digit(p[n]) || memchr(".,Zz+-:", p[n], 7)))
        n++;
    return n < line.len && p[n] == ' ' ? n : 0;
}

static bool peel_iso(header form, lk_slice line, lk_peeled *out)
{
    size_t n = iso_len(line);

    return n > 0 && peel_header(form, (lk_slice){ line.p, n }, LK_OUTER_TEXT,
                                lk_slice_skip(line, n + 1), out);
}

/* ---- PRI and RFC 5424 ---- */

/* Past "<134>", and past the number of bytes that may stand before it. */
static bool take_priority(lk_slice *s)
{
    lk_slice rest = *s;
    size_t n = 0;

    while (n < rest.len && n < 7 && is_digit(rest.p[n]))
        n++;
    if (n > 0 && (n + 1 >= rest.len || rest.p[n] != ' '))
        return false;
    rest = lk_slice_skip(rest, n > 0 ? n + 1 : 0);
    n = 1;
    if (rest.len < 4 || rest.p[0] != '<')
        return false;
    while (n < rest.len && n < 4 && is_digit(rest.p[n]))
        n++;
    if (n == 1 || n >= rest.len || rest.p[n] != '>')
        return false;
    *s = lk_slice_skip(rest, n + 1);
    return true;
}

static bool peel_pri(lk_slice line, lk_room *room, lk_peeled *out)
{
    (void)room;
    if (!take_priority(&line))
        return false;
    *out = (lk_peeled){ .text = line };
    return true;
}

/* '-' or any number of [id name="value" ...]; a bracket in a value is escaped. */
static bool take_structured(lk_slice *s)
{
    const char *p = s->p, *end = p + (s->len < SD_MAX ? s->len : SD_MAX);

    if (s->len > 0 && p[0] == '-') {
        *s = lk_slice_skip(*s, 1);
        return true;
    }
    if (s->len == 0 || p[0] != '[')
        return false;
    while (p < end && *p == '[') {
        while (p < end && *p != ']')
            p += *p == '\\' && p + 1 < end ? 2 : 1;
        if (p >= end)
            return false;
        p++;
    }
    *s = rest_from(*s, p);
    return true;
}

static bool peel_5424(lk_slice line, lk_room *room, lk_peeled *out)
{
    static const char BOM[] = "\xEF\xBB\xBF";
    lk_slice stamp;

    (void)room;
    if (!take_priority(&line) || !lk_slice_starts(line, "1 "))
        return false;
    line = lk_slice_skip(line, 2);
    stamp = take_word(&line);
    for (size_t i = 0; i < 4; i++) /* host, application, process, message id */
        if (take_word(&line).len == 0)
            return false;
    if (!take_structured(&line))
        return false;
    skip_blanks(&line); /* a converted RFC 3164 message keeps one of its own */
    if (lk_slice_starts(line, BOM))
        line = lk_slice_skip(line, sizeof(BOM) - 1);
    *out = (lk_peeled){ .text = lk_wrap_trimmed(line), .stamp = { stamp, LK_OUTER_TEXT } };
    return true;
}

/* ---- rows ---- */

#define HEADER_ROW(ROW, function, peel_by, form, text, about)                     \
    static bool function(lk_slice line, lk_room *room, lk_peeled *out)            \
    {                                                                             \
        (void)room;                                                               \
        return peel_by(form, line, out);                                          \
    }                                                                             \
    const lk_wrapper LK_WRAP_##ROW = {                                            \
        .name = (text),                                                           \
        .help = (about),                                                          \
        .is_sure = (form) == WITH_TAG,                                            \
        .peel = function,                                                         \
    }

#define RFC3164 "rfc3164"
#define RFC3164_HELP "syslog, RFC 3164 and rsyslog's traditional file format"
#define RSYSLOG "rsyslog"
#define RSYSLOG_HELP "rsyslog's file format with RFC 3339 stamps"

HEADER_ROW(RFC3164, peel_3164_tag, peel_3164, WITH_TAG, RFC3164, RFC3164_HELP);
HEADER_ROW(RFC3164_WORD, peel_3164_word, peel_3164, WITH_WORD, RFC3164, RFC3164_HELP);
HEADER_ROW(RFC3164_HOST, peel_3164_host, peel_3164, WITH_HOST, RFC3164, RFC3164_HELP);
HEADER_ROW(RFC3164_BARE, peel_3164_bare, peel_3164, BARE, RFC3164, RFC3164_HELP);
HEADER_ROW(ISO, peel_iso_tag, peel_iso, WITH_TAG, RSYSLOG, RSYSLOG_HELP);
HEADER_ROW(ISO_WORD, peel_iso_word, peel_iso, WITH_WORD, RSYSLOG, RSYSLOG_HELP);
HEADER_ROW(ISO_BARE, peel_iso_bare, peel_iso, BARE, "timestamp",
           "a stamp in front, as kubectl and docker logs --timestamps put it");
HEADER_ROW(ISO_HOST, peel_iso_host, peel_iso, WITH_HOST, "timestamp-name",
           "a stamp and one name, as aws logs tail puts them");

const lk_wrapper LK_WRAP_RFC5424 = {
    .name = "rfc5424",
    .help = "syslog, RFC 5424",
    .is_sure = true,
    .peel = peel_5424,
};

const lk_wrapper LK_WRAP_PRI = {
    .name = "pri",
    .help = "the priority of syslog messages as they travel, <134>",
    .is_sure = true,
    .peel = peel_pri,
};
