/* The report by host, target or caller: a table, worst first. */
#include "report/text_part.h"

#include "report/words.h"

#include <math.h>
#include <string.h>

enum { VALUES_TOLD = 10, NAME_MIN = 20 };

static const char *noun_of(const char *field)
{
    return strcmp(field, "host") == 0 ? "host" : strcmp(field, "target") == 0 ? "target" : "caller";
}

static lk_word count_or_mark(int64_t count)
{
    return count < 0 ? (lk_word){ "?" } : lk_word_count(count);
}

static lk_word share_or_mark(double share)
{
    return isfinite(share) ? lk_word_share(share) : (lk_word){ "?" };
}

/* Of the population that makes most of its calls: they stand worst first. */
static lk_word amplification_of(const lk_report_layers *retries)
{
    return retries->amplification_count > 0 && isfinite(retries->amplification[0].mean)
               ? lk_word_real(retries->amplification[0].mean)
               : (lk_word){ "none" };
}

/* The name beside its numbers, or below them where the page is narrow. */
static void add_row(lk_page *p, const lk_report_value *v, const char *name)
{
    const char *numbers = lk_page_print(
        p, "%10s %8s %10s %7s %9s", count_or_mark(v->http.attempts).text,
        share_or_mark(v->http.rejected_share).text, count_or_mark(v->calls.total).text,
        share_or_mark(v->calls.failed_share).text, amplification_of(&v->retries).text);
    size_t at = strlen(numbers) + 2;

    if (at + NAME_MIN > p->width) {
        lk_page_row(p, "%s", numbers);
        lk_page_row(p, "    %s", lk_page_safe(p, name, p->width - 4, ""));
    } else {
        lk_page_row(p, "%s  %s", numbers, lk_page_safe(p, name, p->width - at, ""));
    }
}

static void add_value(lk_page *p, const lk_report_value *v, const char *noun)
{
    add_row(p, v, v->value ? v->value : lk_page_print(p, "(no %s in the log)", noun));
}

static void say_rest(lk_page *p, const lk_report_by *by, const char *noun)
{
    if (by->value_count > VALUES_TOLD)
        lk_page_para(p, 2, "and %s: --format json lists them",
                     lk_word_counted((int64_t)by->value_count - VALUES_TOLD,
                                     lk_page_print(p, "more %s", noun))
                         .text);
    if (by->other)
        add_row(p, by->other,
                lk_page_print(p, "(%s in sum)",
                              lk_word_counted(by->folded, lk_page_print(p, "other %s", noun)).text));
}

void lk_text_by(lk_page *p, const lk_report *r)
{
    const lk_report_by *by = r->by;
    const char *noun;

    if (!by)
        return;
    noun = noun_of(by->field);
    lk_page_heading(p, lk_page_print(p, "By %s, worst first", noun), NULL);
    lk_page_row(p, "%10s %8s %10s %7s %9s  %s", "attempts", "rejected", "calls", "failed",
                "amplified", noun);
    for (size_t i = 0; i < by->value_count && i < VALUES_TOLD; i++)
        add_value(p, &by->values[i], noun);
    say_rest(p, by, noun);
    lk_page_para(p, 2,
                 "Most rejected attempts first. A call counts by its first attempt. "
                 "Amplified: HTTP attempts for each call or task of the callers that retry most.");
}
