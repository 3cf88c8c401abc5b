#include "report/html_part.h"

#include "report/limits.h"
#include "report/words.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { FILES_SHOWN = 20, SAMPLES_SHOWN = 5, NOTES_SHOWN = 40, PATH_CUT = 200, TEXT_CUT = 200 };

/* ---- what could not be known ---- */

void lk_html_notes(lk_html *h, const lk_report *r)
{
    size_t shown = r->note_count < NOTES_SHOWN ? r->note_count : NOTES_SHOWN;

    if (r->note_count == 0)
        return;
    lk_html_section(h, "notes", "What could not be known");
    lk_html_raw(h, "<ul>\n");
    for (size_t i = 0; i < shown; i++)
        lk_html_element(h, "li", NULL, "%s", lk_html_safe(h, r->notes[i], 600, ""));
    lk_html_raw(h, "</ul>\n");
    if (r->note_count > shown)
        lk_html_para(h, "And %s.",
                     lk_word_counted((int64_t)(r->note_count - shown), "more point").text);
    lk_html_section_end(h);
}

/* ---- files ---- */

static bool has_trouble(const lk_report_file *f)
{
    return f->truncated || f->problem || !f->format;
}

static void add_file(lk_html *h, const lk_report_file *f)
{
    bool is_packed = f->compression && strcmp(f->compression, "none") != 0;

    lk_html_raw(h, "<tr>");
    lk_html_element(
        h, "td", "who", "%s",
        strcmp(f->path, "-") == 0 ? "standard input" : lk_html_safe(h, f->path, PATH_CUT, ""));
    lk_html_number(h, "%s", lk_word_count(f->lines).text);
    lk_html_number(h, "%s", lk_word_bytes(f->bytes).text);
    lk_html_cell(h, "%s%s%s", lk_html_safe(h, f->format, 40, "not known"), is_packed ? ", " : "",
                 is_packed ? lk_html_safe(h, f->compression, 20, "") : "");
    lk_html_cell(h, "%s",
                 f->problem     ? lk_html_safe(h, f->problem, 200, "")
                 : f->truncated ? "the file ends early"
                                : "none");
    lk_html_raw(h, "</tr>\n");
}

static void say_files(lk_html *h, const lk_report_input *in)
{
    size_t shown = 0, troubled = 0;

    if (in->file_count == 0) {
        lk_html_para(h, "No file could be read.");
        return;
    }
    lk_html_table(h, "Files that were read");
    lk_html_raw(h, "<thead><tr><th scope=\"col\">File</th><th scope=\"col\" class=\"n\">Lines</th>"
                   "<th scope=\"col\" class=\"n\">Size</th><th scope=\"col\">Format</th>"
                   "<th scope=\"col\">Trouble</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < in->file_count; i++) {
        troubled += has_trouble(&in->files[i]);
        if (i >= FILES_SHOWN && (!has_trouble(&in->files[i]) || troubled > FILES_SHOWN))
            continue;
        add_file(h, &in->files[i]);
        shown++;
    }
    lk_html_raw(h, "</tbody>\n");
    lk_html_table_end(h);
    if (in->file_count > shown)
        lk_html_para(h, "And %s; %s of all files had trouble.",
                     lk_word_counted((int64_t)(in->file_count - shown), "more file").text,
                     lk_word_count((int64_t)troubled).text);
}

static void say_lines(lk_html *h, const lk_report_input *in)
{
    if (in->lines_total >= 0)
        lk_html_para(h,
                     "%s: %s read, %s outside the time asked for, %s not understood, %s blank or "
                     "comments.",
                     lk_word_counted(in->lines_total, "line").text,
                     lk_word_count(in->lines_parsed).text, lk_word_count(in->lines_filtered).text,
                     lk_word_count(in->lines_rejected).text, lk_word_count(in->lines_ignored).text);
}

static void say_samples(lk_html *h, const lk_report_input *in)
{
    size_t shown = in->sample_count < SAMPLES_SHOWN ? in->sample_count : SAMPLES_SHOWN;

    if (shown == 0)
        return;
    lk_html_element(h, "h3", NULL, "Lines that were not understood, for example");
    for (size_t i = 0; i < shown; i++) {
        const lk_report_sample *s = &in->samples[i];

        lk_html_para(h, "%s, line %" PRId64 ": %s", lk_html_safe(h, s->file, PATH_CUT, "-"),
                     s->line, lk_html_safe(h, s->reason, 40, "reason not known"));
        lk_html_element(h, "pre", NULL, "%s",
                        lk_html_safe(h, s->text, TEXT_CUT, "(the line is withheld)"));
    }
}

/* ---- time, identity, bounds ---- */

static void say_time(lk_html *h, const lk_report_input *in)
{
    if (!isfinite(in->resolution_s))
        return;
    lk_html_para(h, "%s; times are exact to %s.%s", lk_words_moment(in),
                 lk_word_setting(in->resolution_s).text,
                 in->zone && strcmp(in->zone, "assumed-utc") == 0
                     ? " The log has no time zone; UTC was assumed."
                     : "");
}

static void say_identity(lk_html *h, const lk_report_input *in)
{
    const struct {
        const char *what, *field;
    } ids[] = { { "Caller", in->identity_caller },
                { "Call", in->identity_call },
                { "Attempt number", in->identity_attempt },
                { "Task", in->identity_task } };

    lk_html_raw(h, "<dl class=\"facts\">\n");
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        lk_html_raw(h, "<div>");
        lk_html_element(h, "dt", NULL, "%s", ids[i].what);
        lk_html_element(h, "dd", NULL, "%s",
                        lk_html_safe(h, ids[i].field, 60, "no field of the log tells it"));
        lk_html_raw(h, "</div>\n");
    }
    lk_html_raw(h, "</dl>\n");
}

static void say_limits(lk_html *h, const lk_report_input *in)
{
    lk_limit limit;

    for (size_t i = 0; lk_limit_sentence(in, i, &limit); i++)
        lk_html_element(h, "p", "warn", "%s", limit.text);
}

void lk_html_inputs(lk_html *h, const lk_report *r)
{
    const lk_report_input *in = &r->input;

    lk_html_section(h, "inputs", "What was read");
    say_files(h, in);
    say_lines(h, in);
    say_time(h, in);
    lk_html_element(h, "h3", NULL, "Told apart by");
    say_identity(h, in);
    say_limits(h, in);
    say_samples(h, in);
    lk_html_section_end(h);
}
