#include "report/limits.h"
#include "report/words.h"

#include <stddef.h>
#include <stdio.h>

/* A count above 0 with its words; of those with an error, which is above 0 as well, the words for an estimate. */
typedef struct limit_row {
    size_t count, error; /* offsets in lk_report_input; error 0 = none */
    const char *words;
} limit_row;

#define COUNT(name) offsetof(lk_report_input, name)

/* clang-format off */
static const limit_row ROWS[] = {
    { COUNT(callers), COUNT(callers_error), "callers" },
    { COUNT(targets), COUNT(targets_error), "targets" },
    { COUNT(user_agents), COUNT(user_agents_error), "user agents" },
    { COUNT(folded_targets), 0, "requests have one of the targets that came when there was no room for more names: they count as \"other\"" },
    { COUNT(folded_user_agents), 0, "requests have one of the user agents that came when there was no room for more names: they count as \"other\"" },
    { COUNT(late_lines), 0, "lines came later than the reorder window: they count, out of their order" },
    { COUNT(evicted_calls), 0, "open calls were dropped to keep memory bounded; call counts are coarser" },
    { COUNT(folded_callers), 0, "callers were forgotten, the longest silent first, to keep memory bounded: what they did later counts as new" },
    { COUNT(unlisted_files), 0, "inputs are not listed, for there are so many: what was read of them counts" },
};
/* clang-format on */

static const void *field(const lk_report_input *in, size_t offset)
{
    return (const char *)in + offset;
}

static bool bites(const lk_report_input *in, const limit_row *row)
{
    if (*(const int64_t *)field(in, row->count) <= 0)
        return false;
    return !row->error || *(const double *)field(in, row->error) > 0;
}

bool lk_limit_of(const lk_report_input *in, size_t i, lk_limit *out)
{
    size_t k = 0;
    int64_t count;

    for (; k < sizeof(ROWS) / sizeof(ROWS[0]); k++)
        if (bites(in, &ROWS[k]) && i-- == 0)
            break;
    if (k == sizeof(ROWS) / sizeof(ROWS[0]))
        return false;
    count = *(const int64_t *)field(in, ROWS[k].count);
    if (ROWS[k].error)
        (void)snprintf(out->text, sizeof(out->text),
                       "about %s %s, give or take %s: too many to count one by one",
                       lk_word_count(count).text, ROWS[k].words,
                       lk_word_share(*(const double *)field(in, ROWS[k].error)).text);
    else
        (void)snprintf(out->text, sizeof(out->text), "%s %s", lk_word_count(count).text, ROWS[k].words);
    return true;
}

bool lk_limit_sentence(const lk_report_input *in, size_t i, lk_limit *out)
{
    lk_limit limit;

    if (!lk_limit_of(in, i, &limit))
        return false;
    if (limit.text[0] >= 'a' && limit.text[0] <= 'z')
        limit.text[0] = (char)(limit.text[0] - 'a' + 'A');
    (void)snprintf(out->text, sizeof(out->text), "%.*s.", (int)sizeof(out->text) - 2, limit.text);
    return true;
}
