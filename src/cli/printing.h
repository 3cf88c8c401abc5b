/* cli/printing — the options on how a report is printed, for every command that prints one.
 *
 * `member` is the lk_printing inside the command's own struct `type`.
 * Errors: EUSAGE unknown format, table or --color; the status of what could not be written.  */
#ifndef LK_CLI_PRINTING_H
#define LK_CLI_PRINTING_H

#include "base/buf.h"
#include "cli/option.h"
#include "cli/pager.h"
#include "cli/sandbox.h"

#include <lockstep/lockstep.h>

#include <stdbool.h>
#include <stddef.h>

typedef struct lk_printing {
    const char *format, *table, *output, *colour;
    bool ascii, no_pager, no_sandbox;
    lk_pager pager;
} lk_printing;

/* clang-format off */
#define LK_PRINTING_OPTS(type, member)                                                                \
    { "format", NULL, 'f', LK_OPT_TEXT, offsetof(type, member.format), "NAME",                        \
      "how the report is printed: text (default), json, html, markdown, csv" },                       \
    { "table", NULL, 0, LK_OPT_TEXT, offsetof(type, member.table), "NAME",                            \
      "of csv: arrivals (default), clocks, waves, layers, policies, attempts, by" },                  \
    { "output", NULL, 'o', LK_OPT_TEXT, offsetof(type, member.output), "FILE",                        \
      "write the report to FILE instead of standard output" }
#define LK_PRINTING_LOOKS(type, member)                                                               \
    { "ascii", NULL, 0, LK_OPT_FLAG, offsetof(type, member.ascii), NULL,                              \
      "draw with ASCII characters only" },                                                            \
    { "color", "colour", 0, LK_OPT_TEXT, offsetof(type, member.colour), "auto|always|never",          \
      "whether to colour; auto by default" },                                                         \
    { "no-pager", NULL, 0, LK_OPT_FLAG, offsetof(type, member.no_pager), NULL,                        \
      "no pager, however long the report is on a terminal" },                                         \
    LK_SANDBOX_OPT(type, member.no_sandbox)
/* clang-format on */

void lk_printing_init(lk_printing *p);
lockstep_style lk_printing_style(const lk_printing *p);
LK_MUST_CHECK lk_code lk_printing_check_colour(const lk_printing *p, lk_err *e);
LK_MUST_CHECK lk_code lk_printing_check(const lk_printing *p, lk_err *e);

/* Starts what is started later, then names what is written to `sandbox`, which is begun. */
void lk_printing_open(lk_printing *p, lk_sandbox *sandbox);
void lk_printing_close(lk_printing *p);

/* Text to the output file, through a pager where it is long, or to `out`; 0, or the exit status after a complaint. */
int lk_printing_deliver(lk_printing *p, const char *text, size_t len, lk_buf *out);
int lk_printing_print(lk_printing *p, const lockstep_report *report, lk_buf *out);

#endif
