/* The report by host, target or caller: a table, worst first. */
#include "report/html_part.h"
#include "report/words.h"

#include <math.h>

enum { VALUES_SHOWN = 40, NAME_CUT = 100 };

static void add_share(lk_html *h, double x)
{
    lk_html_number(h, "%s", isfinite(x) ? lk_word_share(x).text : "not known");
}

/* Of the population that retries most: they stand worst first. */
static void add_amplification(lk_html *h, const lk_report_layers *retries)
{
    if (retries->amplification_count > 0 && isfinite(retries->amplification[0].mean))
        lk_html_number(h, "%s", lk_word_real(retries->amplification[0].mean).text);
    else
        lk_html_number(h, "none");
}

static void add_row(lk_html *h, const lk_report_value *v, const char *name)
{
    lk_html_raw(h, "<tr>");
    lk_html_element(h, "td", "who", "%s", name);
    lk_html_number(h, "%s", lk_word_count(v->http.attempts).text);
    lk_html_number(h, "%s", lk_word_count(v->http.rejected).text);
    add_share(h, v->http.rejected_share);
    lk_html_number(h, "%s", lk_word_count(v->calls.total).text);
    add_share(h, v->calls.failed_share);
    add_amplification(h, &v->retries);
    lk_html_raw(h, "</tr>\n");
}

static void add_rows(lk_html *h, const lk_report_by *by)
{
    const char *absent = lk_html_print(h, "(no %s in the log)", by->field);

    for (size_t i = 0; i < by->value_count && i < VALUES_SHOWN; i++)
        add_row(h, &by->values[i], lk_html_safe(h, by->values[i].value, NAME_CUT, absent));
    if (by->other)
        add_row(h, by->other,
                lk_html_print(h, "(%s in sum)",
                              lk_word_counted(by->folded, lk_html_print(h, "other %s", by->field))
                                  .text));
}

void lk_html_by(lk_html *h, const lk_report *r)
{
    const lk_report_by *by = r->by;

    if (!by)
        return;
    lk_html_section(h, "by", lk_html_print(h, "By %s, worst first", by->field));
    lk_html_table(h, lk_html_print(h, "Both rates and the amplification of each %s", by->field));
    lk_html_raw(h, "<thead><tr><th scope=\"col\">");
    lk_html_say(h, "Which %s", by->field);
    lk_html_raw(h, "</th><th scope=\"col\" class=\"n\">Attempts</th><th scope=\"col\" class=\"n\">"
                   "Rejected</th><th scope=\"col\" class=\"n\">Share</th><th scope=\"col\" class=\"n\">"
                   "Calls</th><th scope=\"col\" class=\"n\">Failed</th><th scope=\"col\" class=\"n\">"
                   "Amplified</th></tr></thead>\n<tbody>\n");
    add_rows(h, by);
    lk_html_raw(h, "</tbody>\n");
    lk_html_table_end(h);
    if (by->value_count > VALUES_SHOWN)
        lk_html_para(h, "And %s, in the JSON report.",
                     lk_word_counted((int64_t)by->value_count - VALUES_SHOWN,
                                     lk_html_print(h, "more %s", by->field))
                         .text);
    lk_html_how(h, &(lk_html_basis){
                       .measured = "The two rates and the amplification once more for each value; a "
                                   "call counts by its first attempt.",
                       .population = "The whole log, in parts that add up to it.",
                       .sure = "As sure as the rates of the whole log.",
                       .change = "A share of few attempts says little: mind the counts.",
                   });
    lk_html_section_end(h);
}
