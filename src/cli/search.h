/* cli/search — the options on how clocks are searched for, for every command that does.
 *
 * Errors: EUSAGE a probability or range that is none.  */
#ifndef LK_CLI_SEARCH_H
#define LK_CLI_SEARCH_H

#include "base/err.h"

#include <lockstep/lockstep.h>

typedef struct lk_search_texts {
    const char *alpha, *range;
} lk_search_texts;

/* clang-format off */
#define LK_SEARCH_OPTS(type, member, input)                                                           \
    { "clock-alpha", NULL, 0, LK_OPT_TEXT, offsetof(type, member.alpha), "P",                         \
      "false-alarm probability of a clock (default: 2e-4)" },                                         \
    { "period-range", NULL, 0, LK_OPT_TEXT, offsetof(type, member.range), "LOW:HIGH",                 \
      "search for clocks of these periods only, in seconds" },                                        \
    { "population", NULL, 0, LK_OPT_TEXT, offsetof(type, input.population), "GLOB",                   \
      "search for clocks among these user agents only" }
/* clang-format on */

LK_MUST_CHECK lk_code lk_search_take(const lk_search_texts *texts, lockstep_options *out, lk_err *e);

#endif
