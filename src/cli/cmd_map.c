#include "cli/beside.h"
#include "cli/cmd.h"
#include "cli/reading.h"
#include "cli/sandbox.h"

#include <lockstep/scale.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

typedef struct options {
    lockstep_options input;
    lk_opt_list matches, like;
    const char *name, *at, *output;
    size_t partitions;
    bool no_sandbox, quiet, help;
} options;

/* clang-format off */
#define TO_MERGE(name, letter) LK_ELSEWHERE(name, letter, "it is for the report: give it to 'lockstep merge'")

static const lk_opt OPTS[] = {
    { "output", NULL, 'o', LK_OPT_TEXT, offsetof(options, output), "FILE",
      "write the records to FILE instead of standard output, once they are whole" },
    { "partitions", NULL, 0, LK_OPT_SIZE, offsetof(options, partitions), "N",
      "to FILE.0 and so on up to N of them, by key: one for each reduce" },
    { "name", NULL, 0, LK_OPT_TEXT, offsetof(options, name), "NAME",
      "of the input, in place of its path: parts of one log have one name" },
    { "at", NULL, 0, LK_OPT_TEXT, offsetof(options, at), "BYTE",
      "where in that log this part begins" },
    { "like", NULL, 0, LK_OPT_LIST, offsetof(options, like), "FILE",
      "the log, or its start, whose first lines show how a part of it is read" },
    LK_READING_OPTS(options, input),
    LK_SPAN_OPTS(options, input),
    { "match", NULL, 0, LK_OPT_LIST, offsetof(options, matches), "FIELD=GLOB",
      "these lines only, or with FIELD!=GLOB all others: status=5xx,429, host=*.example" },
    { "keep-query", NULL, 0, LK_OPT_FLAG, offsetof(options, input.keep_query), NULL,
      "tell targets apart by their query strings too" },
    LK_LINKING_OPTS(options, input),
    LK_ATTEMPT_NO_OPT(options, input),
    { "strict", NULL, 0, LK_OPT_FLAG, offsetof(options, input.strict), NULL,
      "use nothing of a damaged member of a compressed file; reads files twice" },
    { "rejects", NULL, 0, LK_OPT_TEXT, offsetof(options, input.rejects), "FILE",
      "keep the lines that cannot be read in FILE, as they are" },
    LK_MEMORY_OPT(options, input),
    LK_SANDBOX_OPT(options, no_sandbox),
    { "quiet", NULL, 'q', LK_OPT_FLAG, offsetof(options, quiet), NULL,
      "no warnings on standard error" },
    { "help", NULL, 'h', LK_OPT_FLAG, offsetof(options, help), NULL, "show this help" },
    LK_ELSEWHERE("by", 0, "records have no names of hosts and callers: --match host=NAME maps those of one"),
    LK_ELSEWHERE("layer", 0, "records have the ids of calls and tasks only: 'lockstep analyze' knows further layers"),
    LK_ELSEWHERE("jobs", 'j', "a map is one thread: run one for each part of the log"),
    LK_ANALYZE_TELLS,
    TO_MERGE("sdk-log", 0), TO_MERGE("sdk-keys", 0), TO_MERGE("redact", 0), TO_MERGE("redact-key", 0),
    TO_MERGE("max-attempts", 0), TO_MERGE("fail-on", 0), TO_MERGE("allowance", 0), TO_MERGE("bucket", 0),
    TO_MERGE("cost", 0), TO_MERGE("refill", 0), TO_MERGE("bin", 0), TO_MERGE("clock-alpha", 0),
    TO_MERGE("period-range", 0), TO_MERGE("population", 0), TO_MERGE("format", 'f'), TO_MERGE("table", 0),
    TO_MERGE("ascii", 0), TO_MERGE("color", 0), TO_MERGE("colour", 0), TO_MERGE("no-pager", 0), TO_MERGE("state", 0),
    TO_MERGE("once", 0),
    { .kind = LK_OPT_END },
};
/* clang-format on */

enum { OTHER_FILES = 32 /* inputs and what the system keeps open */ };

typedef struct outputs {
    lk_beside *files;   /* [count] */
    const char **paths; /* [count]; NULL = standard output */
    char *names;        /* of parts */
    size_t count, opened;
    lk_err trouble;
} outputs;

static lk_code name_parts(outputs *o, const char *prefix, lk_err *e)
{
    const size_t room = strlen(prefix) + 24;

    o->names = malloc(o->count * room);
    if (!o->names)
        return lk_fail(e, LK_EOOM, "no memory for %zu outputs", o->count);
    for (size_t i = 0; i < o->count; i++) {
        (void)snprintf(o->names + i * room, room, "%s.%zu", prefix, i);
        o->paths[i] = o->names + i * room;
    }
    return LK_OK;
}

static lk_code name_outputs(outputs *o, const options *given, lk_err *e)
{
    o->count = given->partitions ? given->partitions : 1;
    o->files = calloc(o->count, sizeof(*o->files));
    o->paths = calloc(o->count, sizeof(*o->paths));
    if (!o->files || !o->paths)
        return lk_fail(e, LK_EOOM, "no memory for %zu outputs", o->count);
    o->paths[0] = given->output;
    return given->partitions ? name_parts(o, given->output, e) : LK_OK;
}

/* Once the inputs are listed: an output that is written in the folder that is read is none of
 * them. */
static lk_code open_outputs(outputs *o, lk_err *e)
{
    for (; o->opened < o->count; o->opened++)
        LK_TRY(lk_beside_open(&o->files[o->opened], o->paths[o->opened], e));
    return LK_OK;
}

static int write_part(void *ctx, size_t part, const char *text, size_t len)
{
    outputs *o = ctx;

    return open_outputs(o, &o->trouble) != LK_OK ||
           lk_beside_write(&o->files[part], text, len, &o->trouble) != LK_OK || o->files[part].gone;
}

static lk_code keep_outputs(outputs *o, lk_err *e)
{
    LK_TRY(open_outputs(o, e));
    for (size_t i = 0; i < o->count; i++)
        LK_TRY(lk_beside_keep(&o->files[i], e));
    return LK_OK;
}

static void close_outputs(outputs *o)
{
    for (size_t i = 0; i < o->opened; i++)
        lk_beside_drop(&o->files[i]);
    free(o->files);
    free(o->paths);
    free(o->names);
}

static int deliver(outputs *out, const options *o, const lockstep_map_options *how)
{
    lockstep_report *report = NULL;
    lockstep_error error = { 0 };
    lk_err e = { 0 };
    int status = lockstep_map(&o->input, how, write_part, out, &report, &error);

    if (out->trouble.code != LK_OK)
        status = lk_complain_of(&out->trouble);
    else if (!o->output && out->opened && out->files[0].gone)
        status = 0;
    else if (!report)
        status = lk_complain(status, "%s", error.message);
    else if (keep_outputs(out, &e) != LK_OK)
        status = lk_complain_of(&e);
    if (report && !o->quiet)
        lk_reading_warn(report);
    lockstep_report_free(report);
    return status;
}

/* All parts are open at once. */
static lk_code make_room(size_t partitions, lk_err *e)
{
    const rlim_t wanted = (rlim_t)partitions + OTHER_FILES;
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        limit.rlim_cur >= wanted)
        return LK_OK;
    limit.rlim_cur =
        limit.rlim_max == RLIM_INFINITY || limit.rlim_max > wanted ? wanted : limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur < wanted)
        return lk_fail(e, LK_EUSAGE,
                       "--partitions: %zu files at once are more than may be open here "
                       "(ulimit -Hn: %llu)",
                       partitions, (unsigned long long)limit.rlim_max);
    return LK_OK;
}

static lk_code check(const options *o, lockstep_map_options *how, lk_err *e)
{
    *how = (lockstep_map_options)LOCKSTEP_MAP_OPTIONS_INIT;
    how->name = o->name;
    how->like = o->like.items;
    how->like_count = o->like.count;
    how->parts = o->partitions;
    if (o->at) {
        char *end;

        errno = 0;
        how->at = strtoull(o->at, &end, 10);
        if (errno || *end || end == o->at || o->at[0] == '-' || how->at == UINT64_MAX)
            return lk_fail(e, LK_EUSAGE, "--at: '%.40s' is not a number of bytes", o->at);
    }
    if (o->partitions && !o->output)
        return lk_fail(e, LK_EUSAGE, "--partitions needs --output FILE, for FILE.0 and so on");
    if (o->partitions > LOCKSTEP_MAP_PARTS_MAX)
        return lk_fail(e, LK_EUSAGE, "--partitions: at most %d", LOCKSTEP_MAP_PARTS_MAX);
    LK_TRY(lk_reading_check(&o->input, e));
    return o->partitions ? make_room(o->partitions, e) : LK_OK;
}

static void give_up_rights(const options *o, const outputs *out)
{
    lk_sandbox s;

    lk_sandbox_begin(&s, o->no_sandbox);
    lk_sandbox_inputs(&s, o->input.files, o->input.file_count);
    lk_sandbox_inputs(&s, o->like.items, o->like.count);
    for (size_t i = 0; i < out->count; i++)
        lk_sandbox_output(&s, out->paths[i]);
    lk_sandbox_output(&s, o->input.rejects);
    lk_sandbox_enter(&s);
}

static int map(const options *o, const lockstep_map_options *how)
{
    outputs out = { .count = 0 };
    lk_err e = { 0 };
    int status;

    if (name_outputs(&out, o, &e) == LK_OK) {
        give_up_rights(o, &out);
        status = deliver(&out, o, how);
    } else {
        status = lk_complain_of(&e);
    }
    close_outputs(&out);
    return status;
}

static int run(int argc, char **argv, lk_buf *out)
{
    options o = { .input = LOCKSTEP_OPTIONS_INIT };
    lockstep_map_options how;
    lk_err e = { 0 };
    int first;

    if (lk_opt_parse(OPTS, argc, argv, &o, &first, &e) != LK_OK)
        return lk_complain_of(&e);
    if (o.help) {
        lk_help_command(&LK_CMD_MAP, out);
        return 0;
    }
    o.input.files = (const char *const *)(argv + first);
    o.input.file_count = (size_t)(argc - first);
    o.input.matches = o.matches.items;
    o.input.match_count = o.matches.count;
    return check(&o, &how, &e) == LK_OK ? map(&o, &how) : lk_complain_of(&e);
}

static void help_lines(lk_buf *out)
{
    lk_buf_text(out,
                "\nOne line an attempt, KEY, TIME and RECORD with tabs between them, for any engine\n"
                "that sorts by KEY, then TIME; see lockstep-map(5).\n");
}

const lk_cmd LK_CMD_MAP = {
    .name = "map",
    .operands = "[FILE]...",
    .help = "Shares analyze among machines, with reduce, merge",
    .examples = "  lockstep map access.log | LC_ALL=C sort | lockstep reduce -o a.state\n"
                "  lockstep map --partitions 16 -o part access.log   to part.0 ... part.15\n",
    .options = OPTS,
    .run = run,
    .help_more = help_lines,
};
