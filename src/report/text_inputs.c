#include "report/text_part.h"

#include "base/text.h"
#include "report/limits.h"
#include "report/words.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { FILES_SHOWN = 10, SAMPLES_SHOWN = 3 };

/* ---- files ---- */

static bool has_trouble(const lk_report_file *f)
{
    return f->truncated || f->problem || !f->format;
}

/* " in docker, rfc5424" */
static const char *wrapper_words(lk_page *p, const char *const *names)
{
    const char *words = "";

    for (size_t i = 0; names && names[i]; i++)
        words = lk_page_print(p, "%s%s%s", words, i == 0 ? " in " : ", ",
                              lk_page_safe(p, names[i], 40, ""));
    return words;
}

/* "60,000 lines, combined in docker, gzip, 1.2 MB" */
static const char *file_words(lk_page *p, const lk_report_file *f)
{
    bool packed = f->compression && strcmp(f->compression, "none") != 0;

    if (f->bytes <= 0 && f->problem)
        return "not read";
    if (f->lines == 0)
        return lk_page_print(p, "0 lines, %s", lk_word_bytes(f->bytes).text);
    return lk_page_print(p, "%s, %s%s%s%s, %s", lk_word_counted(f->lines, "line").text,
                         lk_page_safe(p, f->format, 40, "in no log format that is known"),
                         wrapper_words(p, f->wrappers), packed ? ", " : "",
                         packed ? lk_page_safe(p, f->compression, 20, "") : "",
                         lk_word_bytes(f->bytes).text);
}

static void add_file(lk_page *p, const lk_report_file *f)
{
    bool piped = strcmp(f->path, "-") == 0;

    lk_page_para(p, 2, "%s: %s",
                 piped ? "standard input" : lk_page_safe(p, f->path, p->width - 4, ""),
                 file_words(p, f));
    if (f->problem)
        lk_page_inked(p, LK_INK_YELLOW, 4, "%s %s", p->sign->warning,
                      lk_page_safe(p, f->problem, SIZE_MAX, ""));
    else if (f->truncated)
        lk_page_inked(p, LK_INK_YELLOW, 4, "%s the file ends early", p->sign->warning);
}

static void say_files(lk_page *p, const lk_report_input *in)
{
    size_t left_out = 0;

    for (size_t i = 0; i < in->file_count; i++) {
        if (i < FILES_SHOWN || has_trouble(&in->files[i]))
            add_file(p, &in->files[i]);
        else
            left_out++;
    }
    if (left_out > 0)
        lk_page_para(p, 2, "and %s without trouble",
                     lk_word_counted((int64_t)left_out, "more file").text);
}

/* ---- lines ---- */

/* Only what there is. */
static const char *part(lk_page *p, int64_t count, const char *what)
{
    return count == 0 ? "" : lk_page_print(p, ", %s %s", lk_word_count(count).text, what);
}

static void say_lines(lk_page *p, const lk_report_input *in)
{
    if (in->lines_total < 0)
        return;
    lk_page_para(p, 2, "%s: %s read%s%s%s", lk_word_counted(in->lines_total, "line").text,
                 lk_word_count(in->lines_parsed).text,
                 part(p, in->lines_filtered, "left out as asked"),
                 part(p, in->lines_rejected, "not understood"),
                 part(p, in->lines_ignored, "blank, comments or parts"));
}

static void add_sample(lk_page *p, const lk_report_sample *s)
{
    const char *where =
        lk_page_print(p, "    %s:%" PRId64 ": %s: ", lk_page_safe(p, s->file, p->width / 2, "-"),
                      s->line, lk_page_safe(p, s->reason, 20, "unknown"));
    size_t at = lk_text_width(where);

    if (!s->text)
        lk_page_row(p, "%s(%s, withheld)", where, lk_word_counted(s->length, "byte").text);
    else
        lk_page_row(p, "%s%s", where,
                    lk_page_safe(p, s->text, at < p->width ? p->width - at : 0, ""));
}

/* ": unrecognised 12, bad-timestamp 3" */
static const char *reason_words(lk_page *p, const lk_report_input *in)
{
    const char *words = "";

    for (size_t i = 0; i < in->reason_count; i++)
        words = lk_page_print(p, "%s%s %s %s", words, i == 0 ? ":" : ",",
                              lk_page_safe(p, in->reasons[i].name, 20, ""),
                              lk_word_count(in->reasons[i].count).text);
    return words;
}

static void say_samples(lk_page *p, const lk_report_input *in)
{
    size_t shown = in->sample_count < SAMPLES_SHOWN ? in->sample_count : SAMPLES_SHOWN;

    if (shown > 0)
        lk_page_para(p, 2, "Lines that were not understood%s; for example:", reason_words(p, in));
    for (size_t i = 0; i < shown; i++)
        add_sample(p, &in->samples[i]);
}

/* ---- time and identity ---- */

static void say_time(lk_page *p, const lk_report_input *in)
{
    if (!isfinite(in->resolution_s))
        return;
    lk_page_para(p, 2, "%s; times are exact to %s.%s", lk_words_moment(in),
                 lk_word_setting(in->resolution_s).text,
                 in->zone && strcmp(in->zone, "assumed-utc") == 0
                     ? " The log has no time zone; UTC was assumed."
                     : "");
}

static void say_identity(lk_page *p, const lk_report_input *in)
{
    const struct {
        const char *what, *field;
    } ids[] = { { "caller", in->identity_caller },
                { "call", in->identity_call },
                { "attempt number", in->identity_attempt },
                { "task", in->identity_task } };
    lk_buf list;

    lk_buf_init(&list);
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
        if (ids[i].field)
            lk_buf_printf(&list, "%s%s: %s", list.len > 0 ? "; " : "", ids[i].what,
                          lk_page_safe(p, ids[i].field, 60, ""));
    if (list.failed)
        p->out->failed = true;
    else if (list.len > 0)
        lk_page_para(p, 2, "Told apart by: %s", list.p);
    lk_buf_release(&list);
}

/* ---- what a bound made coarser ---- */

/* Of what is estimated only what had to be: the other numbers nobody asks for here. */
static void say_limits(lk_page *p, const lk_report_input *in)
{
    lk_limit limit;

    for (size_t i = 0; lk_limit_of(in, i, &limit); i++)
        lk_page_inked(p, LK_INK_YELLOW, 2, "%s %s", p->sign->warning, limit.text);
}

void lk_text_inputs(lk_page *p, const lk_report *r)
{
    const lk_report_input *in = &r->input;

    lk_page_heading(p, "Inputs", NULL);
    if (in->file_count == 0)
        lk_page_para(p, 2, "No file could be read.");
    say_files(p, in);
    say_lines(p, in);
    say_samples(p, in);
    say_time(p, in);
    say_identity(p, in);
    say_limits(p, in);
}

void lk_text_notes(lk_page *p, const lk_report *r)
{
    if (r->note_count == 0)
        return;
    lk_page_heading(p, "What could not be known", NULL);
    for (size_t i = 0; i < r->note_count; i++)
        lk_page_item(p, 2, "-", 4, "%s", lk_page_safe(p, r->notes[i], SIZE_MAX, ""));
}
