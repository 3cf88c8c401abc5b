/* cli/reading — the option rows on how log lines are read, for every command that reads logs.
 *
 * `member` is the lockstep_options inside the command's own struct `type`.  */
#ifndef LK_CLI_READING_H
#define LK_CLI_READING_H

#include "cli/option.h"

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
/* clang-format on */

#endif
