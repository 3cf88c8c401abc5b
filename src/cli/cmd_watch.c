#include "base/slice.h"
#include "base/quantity.h"
#include "cli/child.h"
#include "cli/cmd.h"
#include "cli/interrupt.h"
#include "cli/launcher.h"
#include "cli/output.h"
#include "cli/reading.h"
#include "cli/sandbox.h"

#include <lockstep/watch.h>

#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

enum { WAIT_MS = 100 };

typedef struct options {
    lockstep_watch_options watch;
    lk_opt_list matches;
    const char *window;
    bool json, quiet, no_sandbox, help;
    char **exec; /* NULL = nothing */
} options;

/* clang-format off */
static const lk_opt OPTS[] = {
    { "json", NULL, 0, LK_OPT_FLAG, offsetof(options, json), NULL,
      "every event as a line of JSON (lockstep.watch/1)" },
    { "window", NULL, 0, LK_OPT_TEXT, offsetof(options, window), "TIME",
      "how far back is looked: 10m, 2h (default: 30m); periods up to a third of it are found" },
    { "from-start", NULL, 0, LK_OPT_FLAG, offsetof(options, watch.from_start), NULL,
      "read files from their first line, not from the last 16 MiB" },
    LK_READING_OPTS(options, watch.log),
    { "match", NULL, 0, LK_OPT_LIST, offsetof(options, matches), "FIELD=GLOB",
      "count these lines only, or with FIELD!=GLOB all others" },
    LK_LINKING_OPTS(options, watch.log),
    { "allowance", NULL, 0, LK_OPT_TEXT, offsetof(options, watch.log.allowance), "RATE",
      "requests that the server admits, 4000/min: tells when a clock will be over" },
    { "quiet", NULL, 'q', LK_OPT_FLAG, offsetof(options, quiet), NULL,
      "alerts only, no line a minute" },
    LK_SANDBOX_OPT(options, no_sandbox),
    { "exec", NULL, 0, LK_OPT_FLAG, offsetof(options, help), NULL, /* taken before these are read */
      "PROGRAM [ARGUMENT]...: run it on each alert; must stand last" },
    { "help", NULL, 'h', LK_OPT_FLAG, offsetof(options, help), NULL, "show this help" },
    { .kind = LK_OPT_END },
};
/* clang-format on */

/* ---- events ---- */

typedef struct session {
    const options *options;
    lk_launcher launcher;
    int status; /* of output that failed, or 0 */
    bool is_over; /* the reader of our output has gone */
} session;

static void run_program(session *s, const lockstep_watch_event *event)
{
    lk_err e = { 0 };

    if (lk_launcher_start(&s->launcher, event->json, event->variables, &e) != LK_OK)
        (void)lk_complain_of(&e);
}

static bool is_alert(const lockstep_watch_event *event)
{
    return event->kind == LOCKSTEP_WATCH_CLOCK || event->kind == LOCKSTEP_WATCH_FADE;
}

static void take_event(void *ctx, const lockstep_watch_event *event)
{
    session *s = ctx;
    const char *text = s->options->json ? event->json : event->text;
    lk_err e = { 0 };

    if (s->status || s->is_over)
        return;
    if (!s->options->quiet || is_alert(event)) {
        lk_code code = lk_output_now(text, strlen(text), &s->is_over, &e);

        if (code != LK_OK)
            s->status = lk_complain_of(&e);
    }
    if (s->options->exec && is_alert(event))
        run_program(s, event);
}

/* ---- the watch ---- */

/* 0, or a status after which there is nothing to tell. */
static int go_on(lockstep_watch *w, session *s)
{
    lockstep_error error = { 0 };
    bool over = false;
    int status;

    while (!over && !s->status && !s->is_over && !lk_interrupt_seen()) {
        status = lockstep_watch_step(w, WAIT_MS, &over, &error);
        if (status != 0)
            return lk_complain(status, "%s", error.message);
    }
    if (s->status || s->is_over || lk_interrupt_seen() == SIGTERM)
        return s->status;
    status = lockstep_watch_finish(w, &error);
    if (status != 0)
        return lk_complain(status, "%s", error.message);
    return s->status;
}

static void give_up_rights(const options *o)
{
    lk_sandbox s;

    lk_sandbox_begin(&s, o->no_sandbox);
    for (size_t i = 0; i < o->watch.log.file_count; i++)
        lk_sandbox_follow(&s, o->watch.log.files[i]);
    lk_sandbox_enter(&s);
}

static int watch(options *o)
{
    session s = { .options = o, .launcher = LK_LAUNCHER_INIT };
    lockstep_error error = { 0 };
    lk_err e = { 0 };
    lockstep_watch *w;
    int status;

    if (o->exec && lk_launcher_open(&s.launcher, o->exec, &e) != LK_OK)
        return lk_complain_of(&e);
    give_up_rights(o);
    o->watch.on_event = take_event;
    o->watch.context = &s;
    status = lockstep_watch_open(&o->watch, &w, &error);
    if (status != 0)
        return lk_complain(status, "%s", error.message);
    lk_interrupt_catch();
    status = go_on(w, &s);
    lockstep_watch_close(w);
    lk_launcher_close(&s.launcher);
    if (status == 0 && lk_interrupt_seen())
        return 128 + lk_interrupt_seen();
    return status;
}

/* ---- options ---- */

/* Everything behind --exec belongs to the program; gives the number of our own arguments. */
static int split_exec(int argc, char **argv, options *o)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--exec") == 0) {
            o->exec = argv + i + 1;
            return i;
        }
    return argc;
}

static lk_code check(options *o, lk_err *e)
{
    double seconds;

    if (o->window) {
        if (!lk_quantity_seconds(lk_slice_from(o->window), &seconds) || !isfinite(seconds) ||
            seconds < 60 || seconds > 86400)
            return lk_fail(e, LK_EUSAGE, "--window: '%s' is not a time from 1m to 24h", o->window);
        o->watch.window_s = seconds;
    }
    if (o->exec && !o->exec[0])
        return lk_fail(e, LK_EUSAGE, "option '--exec' needs a value: PROGRAM");
    if (o->exec)
        LK_TRY(lk_child_find(o->exec[0], e));
    return lk_reading_check(&o->watch.log, e);
}

static int run(int argc, char **argv, lk_buf *out)
{
    options o = { .watch = LOCKSTEP_WATCH_OPTIONS_INIT };
    lk_err e = { 0 };
    int first, own = split_exec(argc, argv, &o);

    if (lk_opt_parse(OPTS, own, argv, &o, &first, &e) != LK_OK)
        return lk_complain_of(&e);
    if (o.help) {
        lk_help_command(&LK_CMD_WATCH, out);
        return 0;
    }
    o.watch.log.files = (const char *const *)(argv + first);
    o.watch.log.file_count = (size_t)(own - first);
    o.watch.log.matches = o.matches.items;
    o.watch.log.match_count = o.matches.count;
    if (check(&o, &e) != LK_OK)
        return lk_complain_of(&e);
    return watch(&o);
}

static void help_more(lk_buf *out)
{
    lk_buf_text(out,
                "\nWithout FILE standard input is read, as behind a pipe.\n"
                "Files are followed through rotation, by rename and by copytruncate.\n");
}

const lk_cmd LK_CMD_WATCH = {
    .name = "watch",
    .operands = "[FILE]... [--exec PROGRAM [ARGUMENT]...]",
    .help = "Alerts to clocks in a log being written",
    .examples = "  lockstep watch /var/log/nginx/access.log     a line a minute, and alerts\n"
                "  lockstep watch -q access.log --exec page-me  a program run on each alert\n",
    .options = OPTS,
    .run = run,
    .help_more = help_more,
};
