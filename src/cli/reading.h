/* cli/reading — what every command that reads logs has: the option rows on how lines are read and joined, the
 * check that there is a log, and the warnings about it.
 *
 * `member` is the lockstep_options inside the command's own struct `type`.  */
#ifndef LK_CLI_READING_H
#define LK_CLI_READING_H

#include "base/err.h"
#include "cli/option.h"
#include <lockstep/lockstep.h>

/* clang-format off */
#define LK_READING_OPTS(type, member)                                                                \
    { "log-format", NULL, 0, LK_OPT_TEXT, offsetof(type, member.log_format), "FORMAT",               \
      "a name, 'apache:%h %l ...' or 'nginx:$remote_addr ...'" },                                    \
    { "json-keys", NULL, 0, LK_OPT_TEXT, offsetof(type, member.json_keys), "FIELD=KEY,...",          \
      "members of JSON lines, as in time=ts,status=res.code" },                                      \
    { "caller", NULL, 0, LK_OPT_TEXT, offsetof(type, member.caller), "FIELD",                        \
      "what tells callers apart: a key, 'column 12', %{X-Real-IP}i" },                               \
    { "tz", NULL, 0, LK_OPT_TEXT, offsetof(type, member.zone), "ZONE",                               \
      "of stamps that name none: UTC (default), +02:00, Europe/Berlin" },                            \
    { "max-line", NULL, 0, LK_OPT_SIZE, offsetof(type, member.max_line), "SIZE",                     \
      "longest line that is read: 64K, 4M (default: 1M)" }

/* An option that another command takes; `where` follows its name and a colon. */
#define LK_ELSEWHERE(name, letter, where) { name, NULL, letter, LK_OPT_ELSEWHERE, 0, NULL, where }
/* How analyze came to its report, and how far it is. */
#define LK_ANALYZE_TELLS                                                                             \
    LK_ELSEWHERE("explain", 0, "only 'lockstep analyze' explains"),                                  \
    LK_ELSEWHERE("verbose", 'v', "only 'lockstep analyze' says what its memory is used for"),         \
    LK_ELSEWHERE("timing", 0, "only 'lockstep analyze' has stages; time(1) measures a whole command"), \
    LK_ELSEWHERE("progress", 0, "only 'lockstep analyze' draws it")

#define LK_MEMORY_OPT(type, member)                                                                  \
    { "memory", NULL, 0, LK_OPT_SIZE, offsetof(type, member.memory), "SIZE",                         \
      "about so much at most, 64M, 1G (default: 256M): less makes the answer coarser" }

/* What is left out before anything is counted. */
#define LK_SPAN_OPTS(type, member)                                                                   \
    { "since", NULL, 0, LK_OPT_TEXT, offsetof(type, member.since), "TIME",                           \
      "leave out what came before, 2025-07-15T12:00:00Z" },                                          \
    { "until", NULL, 0, LK_OPT_TEXT, offsetof(type, member.until), "TIME",                           \
      "leave out what came then or later" }

/* What a rejection is, and which fields join attempts to calls and calls to jobs. */
#define LK_LINKING_OPTS(type, member)                                                                \
    { "rejected", NULL, 0, LK_OPT_TEXT, offsetof(type, member.rejected), "LIST",                     \
      "what a rejection is (default 429,503,529): statuses, FIELD=GLOB" },                           \
    { "call-id", NULL, 0, LK_OPT_TEXT, offsetof(type, member.call_id), "FIELD",                      \
      "what all attempts of a call share: a key, 'column 12'" },                                     \
    { "task-id", NULL, 0, LK_OPT_TEXT, offsetof(type, member.task_id), "FIELD",                      \
      "what all calls of a job share" }
#define LK_ATTEMPT_NO_OPT(type, member)                                                              \
    { "attempt-no", NULL, 0, LK_OPT_TEXT, offsetof(type, member.attempt_no), "FIELD",                \
      "what counts the attempts of a call" }
/* clang-format on */

/* EUSAGE where no file is named and standard input is a terminal. */
LK_MUST_CHECK lk_code lk_reading_check(const lockstep_options *input, lk_err *e);

/* What the report warns of, a line each, on standard error. */
void lk_reading_warn(const lockstep_report *report);

#endif
