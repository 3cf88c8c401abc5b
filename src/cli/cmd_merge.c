#include "cli/cmd.h"
#include "cli/printing.h"
#include "cli/reading.h"
#include "cli/sandbox.h"
#include "cli/search.h"
#include "cli/state_file.h"

#include <lockstep/scale.h>

#include <stdbool.h>

typedef struct options {
    lockstep_options input;
    lk_printing printing;
    lk_search_texts search;
    const char *state;
    bool once, quiet, help;
} options;

/* clang-format off */
#define TO_MAP(name) LK_ELSEWHERE(name, 0, "it is on how lines are read: give it to 'lockstep map'")

static const lk_opt OPTS[] = {
    LK_PRINTING_OPTS(options, printing),
    { "state", NULL, 0, LK_OPT_TEXT, offsetof(options, state), "FILE",
      "write one state of all to FILE, for a later merge, instead of a report" },
    { "once", NULL, 0, LK_OPT_FLAG, offsetof(options, once), NULL,
      "count once what is there twice: tasks that ran twice, copies of a log" },
    { "sdk-log", NULL, 0, LK_OPT_TEXT, offsetof(options, input.sdk_log), "FILE",
      "the callers' own record of their calls: JSON lines, CSV, OTLP/JSON" },
    { "sdk-keys", NULL, 0, LK_OPT_TEXT, offsetof(options, input.sdk_keys), "FIELD=KEY,...",
      "keys or columns of the SDK log: ts, call_id, duration_s, outcome, ..." },
    { "redact", NULL, 0, LK_OPT_TEXT, offsetof(options, input.redact), "WHAT,...",
      "pseudonyms for callers, targets, user-agents, hosts, or all" },
    { "redact-key", NULL, 0, LK_OPT_TEXT, offsetof(options, input.redact_key), "FILE",
      "pseudonyms by this secret key, the same in every report" },
    { "max-attempts", NULL, 0, LK_OPT_SECONDS, offsetof(options, input.attempts_max), "N",
      "attempts after which callers give up (default: as seen)" },
    { "fail-on", NULL, 0, LK_OPT_TEXT, offsetof(options, input.fail_on), "WHAT,...",
      "status 1 for synchronised, overload, amplification=5, error-share=0.05, "
      "rejected-share=N, failed-share=N" },
    { "allowance", NULL, 0, LK_OPT_TEXT, offsetof(options, input.allowance), "RATE",
      "requests that the server admits: 67, 4000/min" },
    { "bucket", NULL, 0, LK_OPT_TEXT, offsetof(options, input.bucket), "NUMBER",
      "requests that it admits at once" },
    { "cost", NULL, 0, LK_OPT_TEXT, offsetof(options, input.cost), "TOKENS",
      "of a request, with --refill in place of --allowance" },
    { "refill", NULL, 0, LK_OPT_TEXT, offsetof(options, input.refill), "RATE",
      "tokens that come: 2000000/min" },
    { "bin", NULL, 0, LK_OPT_SECONDS, offsetof(options, input.bin_s), "SECONDS",
      "width of the histogram's bins (default: by span)" },
    LK_SEARCH_OPTS(options, search, input),
    { "jobs", NULL, 'j', LK_OPT_SIZE, offsetof(options, input.threads), "N",
      "threads that work on it (default: one a processor); the report is the same whatever N" },
    { "memory", NULL, 0, LK_OPT_SIZE, offsetof(options, input.memory), "SIZE",
      "about so much at most, 64M, 1G (default: as the maps had)" },
    LK_PRINTING_LOOKS(options, printing),
    { "quiet", NULL, 'q', LK_OPT_FLAG, offsetof(options, quiet), NULL,
      "no warnings on standard error" },
    { "help", NULL, 'h', LK_OPT_FLAG, offsetof(options, help), NULL, "show this help" },
    LK_ELSEWHERE("by", 0, "records have no names of hosts and callers: 'lockstep map --match host=NAME' maps those of one"),
    LK_ELSEWHERE("layer", 0, "records have the ids of calls and tasks only: 'lockstep analyze' knows further layers"),
    LK_ANALYZE_TELLS,
    TO_MAP("log-format"), TO_MAP("json-keys"), TO_MAP("caller"), TO_MAP("tz"), TO_MAP("max-line"), TO_MAP("since"),
    TO_MAP("until"), TO_MAP("match"), TO_MAP("keep-query"), TO_MAP("rejected"), TO_MAP("call-id"), TO_MAP("task-id"),
    TO_MAP("attempt-no"), TO_MAP("strict"), TO_MAP("rejects"), TO_MAP("like"), TO_MAP("name"), TO_MAP("at"),
    TO_MAP("partitions"),
    { .kind = LK_OPT_END },
};
/* clang-format on */

typedef struct given {
    const char *const *states; /* [count] */
    size_t count;
    bool once;
} given;

static void give_up_rights(options *o, const given *g)
{
    lk_sandbox s;

    lk_printing_open(&o->printing, &s);
    lk_sandbox_inputs(&s, g->states, g->count);
    lk_sandbox_input(&s, o->input.sdk_log);
    lk_sandbox_input(&s, o->input.redact_key);
    lk_sandbox_output(&s, o->state);
    lk_sandbox_enter(&s);
}

static int make(void *ctx, lockstep_write *write, void *to, lockstep_error *error)
{
    const given *g = ctx;

    return lockstep_merge_states(g->states, g->count, g->once, write, to, error);
}

static int report(options *o, const given *g, lk_buf *out)
{
    lockstep_report *made = NULL;
    lockstep_error error = { 0 };
    int status = lockstep_merge(g->states, g->count, g->once, &o->input, &made, &error), failed;
    const char *finding;

    if (!made)
        return lk_complain(status, "%s", error.message);
    if (!o->quiet)
        lk_reading_warn(made);
    for (size_t i = 0; (finding = lockstep_finding(made, i)) != NULL; i++)
        (void)lk_complain(0, "%s", finding);
    failed = lk_printing_print(&o->printing, made, out);
    status = lockstep_report_status(made);
    lockstep_report_free(made);
    return failed ? failed : status;
}

static int run(int argc, char **argv, lk_buf *out)
{
    options o = { .input = LOCKSTEP_OPTIONS_INIT };
    lk_err e = { 0 };
    int first, status;
    given g;

    lk_printing_init(&o.printing);
    if (lk_opt_parse(OPTS, argc, argv, &o, &first, &e) != LK_OK)
        return lk_complain_of(&e);
    if (o.help) {
        lk_help_command(&LK_CMD_MERGE, out);
        return 0;
    }
    g = (given){ (const char *const *)(argv + first), (size_t)(argc - first), o.once };
    if (!g.count)
        return lk_complain(2, "no state given: name those that 'lockstep reduce' wrote");
    if (lk_search_take(&o.search, &o.input, &e) != LK_OK ||
        lk_printing_check(&o.printing, &e) != LK_OK)
        return lk_complain_of(&e);
    give_up_rights(&o, &g);
    status = o.state ? lk_state_file_make(o.state, make, &g) : report(&o, &g, out);
    lk_printing_close(&o.printing);
    return status;
}

const lk_cmd LK_CMD_MERGE = {
    .name = "merge",
    .operands = "STATE...",
    .help = "Makes of states the report that one process would",
    .examples = "  lockstep merge -f json part-*.state\n"
                "  lockstep merge --state node1.state node1/part-*.state   to merge further\n",
    .options = OPTS,
    .run = run,
    .is_unlisted = true,
};
