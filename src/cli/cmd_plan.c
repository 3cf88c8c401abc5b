#include "cli/cmd.h"
#include "cli/sandbox.h"

#include <lockstep/plan.h>

#include <stdbool.h>

typedef struct options {
    lockstep_plan_options plan;
    const char *format;
    bool no_sandbox, help;
} options;

/* clang-format off */
static const lk_opt OPTS[] = {
    { "format", NULL, 'f', LK_OPT_TEXT, offsetof(options, format), "NAME", "text (default) or json" },
    { "policy", NULL, 0, LK_OPT_TEXT, offsetof(options, plan.policy), "POLICY",
      "full-jitter (default), or full-jitter:base=1,cap=8" },
    { "base", NULL, 0, LK_OPT_TEXT, offsetof(options, plan.base), "TIME", "first window (1 s)" },
    { "factor", NULL, 0, LK_OPT_TEXT, offsetof(options, plan.factor), "NUMBER", "growth of the window (2)" },
    { "cap", NULL, 0, LK_OPT_TEXT, offsetof(options, plan.cap), "TIME", "largest window (none)" },
    { "attempts", NULL, 0, LK_OPT_TEXT, offsetof(options, plan.attempts), "NUMBER", "attempts of a call (no bound)" },
    { "callers", NULL, 0, LK_OPT_TEXT, offsetof(options, plan.callers), "NUMBER", "callers that fail together" },
    { "allowance", NULL, 0, LK_OPT_TEXT, offsetof(options, plan.allowance), "RATE", "what the server admits: 67, 4000/min" },
    { "attempt-time", NULL, 0, LK_OPT_TEXT, offsetof(options, plan.attempt_time), "TIME", "one attempt alone on the server" },
    { "spread", NULL, 0, LK_OPT_TEXT, offsetof(options, plan.spread), "TIME", "spread of callers without jitter (50ms)" },
    { "slice", NULL, 0, LK_OPT_TEXT, offsetof(options, plan.slice), "TIME", "share of the callers in such a slice of a window" },
    { "backlog", NULL, 0, LK_OPT_TEXT, offsetof(options, plan.backlog), "NUMBER", "tasks that wait" },
    { "cost", NULL, 0, LK_OPT_TEXT, offsetof(options, plan.cost), "NUMBER", "tokens of a task (1)" },
    { "refill", NULL, 0, LK_OPT_TEXT, offsetof(options, plan.refill), "RATE", "tokens that come: 2000000/min" },
    { "reserved", NULL, 0, LK_OPT_TEXT, offsetof(options, plan.reserved), "RATE", "tokens that others need" },
    { "demand", NULL, 0, LK_OPT_TEXT, offsetof(options, plan.demand), "RATE", "what is asked for" },
    { "for", NULL, 0, LK_OPT_TEXT, offsetof(options, plan.duration), "TIME", "how long the demand lasts" },
    { "layers", NULL, 0, LK_OPT_TEXT, offsetof(options, plan.layers), "LIST", "attempt caps of the layers: 4,3; none = no cap" },
    { "deadline", NULL, 0, LK_OPT_TEXT, offsetof(options, plan.deadline), "TIME", "of a whole call" },
    { "horizon", NULL, 0, LK_OPT_TEXT, offsetof(options, plan.horizon), "TIME", "after it an answer is of no use" },
    { "collisions", NULL, 0, LK_OPT_TEXT, offsetof(options, plan.collisions), "NUMBER", "collisions of two callers in a row: how often they part then" },
    { "budget", NULL, 0, LK_OPT_TEXT, offsetof(options, plan.budget), "SHARE", "retries for each first attempt: 0.1" },
    LK_SANDBOX_OPT(options, no_sandbox),
    { "help", NULL, 'h', LK_OPT_FLAG, offsetof(options, help), NULL, "show this help" },
    { .kind = LK_OPT_END },
};
/* clang-format on */

static int run(int argc, char **argv, lk_buf *out)
{
    options o = { LOCKSTEP_PLAN_OPTIONS_INIT, "text", false, false };
    lockstep_error error = { 0 };
    lk_err e = { 0 };
    char *text = NULL;
    size_t len = 0;
    int first, status;
    lk_sandbox s;

    if (lk_opt_parse(OPTS, argc, argv, &o, &first, &e) != LK_OK)
        return lk_complain_of(&e);
    if (o.help) {
        lk_help_command(&LK_CMD_PLAN, out);
        return 0;
    }
    if (first < argc)
        return lk_complain(2, "plan takes no argument, but was given '%s'", argv[first]);
    lk_sandbox_begin(&s, o.no_sandbox);
    lk_sandbox_enter(&s);
    status = lockstep_plan(&o.plan, o.format, &text, &len, &error);
    if (status != 0)
        return lk_complain(status, "%s", error.message);
    lk_buf_add(out, text, len);
    lockstep_text_free(text);
    return 0;
}

const lk_cmd LK_CMD_PLAN = {
    .name = "plan",
    .operands = "",
    .help = "Sizes a retry policy against an allowance",
    .options = OPTS,
    .run = run,
};
