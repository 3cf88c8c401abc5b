/* The callers' own log, read before the access log. */
#include "api/run.h"
#include "link/sdk_lines.h"

#include <inttypes.h>

enum { SDK_LINE_MAX = 8 << 20, SDK_WARNINGS = 3 }; /* a line of OTLP holds a batch of spans */

/* A line that is no call is told with its place, the first few of them. */
static lk_code take_sdk_line(lk_run *x, lk_sdk_lines *reader, const lk_line *line, lk_err *e)
{
    lk_err trouble = { 0 };
    lk_code code = LK_OK;

    if (line->overlong) {
        reader->lines++;
        reader->rejected++;
        code = lk_fail(&trouble, LK_EDATA, "no call: longer than %d bytes", SDK_LINE_MAX);
    } else if (line->text.len && !line->cut) {
        code = lk_sdk_lines_take(reader, line->text, &trouble);
    }
    if (code != LK_OK && code != LK_EDATA)
        return lk_fail(e, code, "%s", trouble.msg);
    if (code == LK_EDATA && reader->rejected <= SDK_WARNINGS)
        lk_run_warn(x->out, x->options->sdk_log, line->number, trouble.msg);
    return LK_OK;
}

static void warn_on_sdk(lk_run *x, const lk_sdk_lines *reader)
{
    const char *path = x->options->sdk_log;
    lk_arena *arena = &x->out->arena;

    if (reader->rejected > SDK_WARNINGS)
        lk_run_warn(x->out, path, 0,
                    lk_arena_printf(arena, "%" PRIu64 " of %" PRIu64 " lines in all are no calls",
                                    reader->rejected, reader->lines));
    if (reader->spans.pieces)
        lk_run_warn(x->out, path, 0,
                    lk_arena_printf(arena,
                                    "more than %d spans: a call that lies across one of %" PRIu64
                                    " places counts twice",
                                    LK_SDK_SPANS_MAX, reader->spans.pieces));
    if (x->sdk.lost_ids)
        lk_run_warn(
            x->out, path, 0,
            lk_arena_printf(arena,
                            "more than %d calls have an id: which of them the access log does "
                            "not show is not told",
                            LK_SDK_IDS_MAX));
    if (!x->sdk.calls)
        lk_run_warn(x->out, path, 0,
                    "no call was found in the SDK log: calls come from the access log");
}

static lk_code read_sdk_lines(lk_run *x, lk_lines *lines, lk_sdk_lines *reader, lk_err *e)
{
    lk_err trouble = { 0 };
    lk_line line;
    lk_step got;

    while ((got = lk_lines_next(lines, &line, &trouble)) == LK_STEP_ITEM)
        LK_TRY(take_sdk_line(x, reader, &line, e));
    if (got == LK_STEP_FAIL && trouble.code == LK_EOOM)
        return lk_fail(e, LK_EOOM, "%s", trouble.msg);
    if (got == LK_STEP_FAIL)
        lk_run_fail_input(x->out, x->options->sdk_log, &trouble);
    LK_TRY(lk_sdk_lines_end(reader, e));
    warn_on_sdk(x, reader);
    return LK_OK;
}

lk_code lk_run_read_sdk_log(lk_run *x, lk_err *e)
{
    const char *path = x->options->sdk_log;
    lk_err trouble = { 0 };
    lk_sdk_lines *reader;
    lk_lines *lines;
    lk_code code;

    if (!path)
        return x->options->sdk_keys
                   ? lk_fail(e, LK_EUSAGE, "--sdk-keys says how, --sdk-log must say what")
                   : LK_OK;
    reader = LK_NEW(&x->out->arena, lk_sdk_lines, 1);
    if (!reader)
        return lk_fail(e, LK_EOOM, "no memory for the SDK log");
    LK_TRY(lk_sdk_lines_init(reader, x->options->sdk_keys, x->reading.since_ns, x->reading.until_ns,
                             &x->sdk, &x->out->arena, e));
    if (lk_lines_open(path, SDK_LINE_MAX, &lines, &trouble) != LK_OK) {
        if (trouble.code == LK_EOOM)
            return lk_fail(e, LK_EOOM, "%s", trouble.msg);
        lk_run_fail_input(x->out, path, &trouble);
        return LK_OK;
    }
    code = x->reading.is_strict ? lk_lines_strict(lines, e) : LK_OK;
    lk_lines_meter(lines, x->reading.meter, false);
    if (code == LK_OK)
        code = read_sdk_lines(x, lines, reader, e);
    lk_lines_close(lines);
    lk_sdk_lines_release(reader);
    return code;
}
