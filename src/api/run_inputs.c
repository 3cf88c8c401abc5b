/* The inputs of a run: files that open, in order of their first instant, or saved states. */
#include "api/repeats.h"
#include "api/run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void prepare(void *ctx, lk_logfile *f)
{
    lk_run *x = ctx;

    f->addresses = &x->addresses;
    f->breakdown = x->breakdown;
    f->above = &x->above;
    f->descriptors = &x->descriptors;
    f->rejects = x->rejects;
    f->details = x->attempts ? lk_attempt_stream_details(x->attempts) : NULL;
}

static lk_code take_missing(void *ctx, const char *path, const lk_err *why, lk_err *e)
{
    lk_run *x = ctx;

    if (why->code == LK_EOOM)
        return lk_fail(e, LK_EOOM, "%s", why->msg);
    lk_run_fail_input(x->out, path, why);
    if (x->missing_count == x->queue.kept_max) {
        x->unlisted++;
        return LK_OK;
    }
    x->missing[x->missing_count++] = (lk_report_file){
        .path = path,
        .compression = "none",
        .problem = lk_arena_text(&x->out->arena, lk_slice_from(why->msg)),
        .first_ns = LK_TIME_NONE,
    };
    return LK_OK;
}

/* The layout that file i and the later files like it show together, for all of them. */
static lk_code settle_alike(lk_run *x, size_t i, lk_sniffer *pooled, lk_err *e)
{
    const lk_sniffer *own = x->files[i]->sniffer;
    lk_layout layout;

    *pooled = *own;
    for (size_t k = i + 1; k < x->file_count; k++)
        if (x->files[k]->sniffer && lk_sniffer_is_alike(own, x->files[k]->sniffer))
            lk_sniffer_merge(pooled, x->files[k]->sniffer);
    lk_reading_decide(&x->reading, pooled, &layout);
    for (size_t k = i + 1; k < x->file_count; k++)
        if (x->files[k]->sniffer && lk_sniffer_is_alike(own, x->files[k]->sniffer))
            lk_logfile_settle(x->files[k], &layout);
    LK_TRY(lk_queue_add_kind(&x->queue, own, &layout, e));
    lk_logfile_settle(x->files[i], &layout);
    return LK_OK;
}

/* All files are read as those that the caller names are. */
static lk_code settle_like(lk_run *x, lk_sniffer *pooled, lk_err *e)
{
    lk_layout layout;

    for (size_t i = 0; i < x->like_count; i++) {
        lk_logfile like;

        LK_TRY(lk_logfile_open(&like, x->like[i], &x->symbols, &x->reading, &x->out->arena, e));
        if (i == 0)
            *pooled = *like.sniffer;
        else
            lk_sniffer_merge(pooled, like.sniffer);
        lk_logfile_close(&like);
    }
    lk_reading_decide(&x->reading, pooled, &layout);
    for (size_t i = 0; i < x->file_count; i++)
        if (x->files[i]->sniffer)
            lk_logfile_settle(x->files[i], &layout);
    return LK_OK;
}

/* Files of one shape are read by what all of them show. */
static lk_code settle_layouts(lk_run *x, lk_err *e)
{
    lk_sniffer *pooled = malloc(sizeof(*pooled));
    lk_code code = LK_OK;

    if (!pooled)
        return lk_fail(e, LK_EOOM, "no memory to recognise formats");
    if (x->like_count)
        code = settle_like(x, pooled, e);
    for (size_t i = 0; i < x->file_count && !x->like_count && code == LK_OK; i++)
        if (x->files[i]->sniffer)
            code = settle_alike(x, i, pooled, e);
    free(pooled);
    return code;
}

/* One that only repeats another is not read; what there is to say of it stands in a row. */
static lk_code keep_repeated(lk_run *x, const lk_waiting *w, lk_err *e)
{
    const lk_repeat *r = w->repeat;
    lk_logfile *f;

    if (x->repeated_count == x->queue.kept_max) {
        x->unlisted++;
        return LK_OK;
    }
    f = w->file ? w->file : LK_NEW(&x->out->arena, lk_logfile, 1);
    if (!f)
        return lk_fail(e, LK_EOOM, "no memory for the account of '%s'", w->path);
    lk_logfile_close(f);
    f->path = w->path;
    f->source.first_ns = w->source.first_ns;
    f->repeats = r->of;
    f->repeat_kind = r->kind;
    f->repeat_lines = r->lines;
    f->stats.bytes = r->bytes;
    f->stats.bytes_out = r->bytes_out;
    if (r->why)
        f->trouble = *r->why;
    x->repeated[x->repeated_count++] = f;
    return LK_OK;
}

static lk_code set_repeats_aside(lk_run *x, lk_err *e)
{
    size_t n;

    LK_TRY(lk_queue_set_repeats_aside(&x->queue, &x->counting, e));
    n = x->queue.count - x->counting;
    if (n > x->queue.kept_max)
        n = x->queue.kept_max;
    x->repeated = LK_NEW(&x->out->arena, lk_logfile *, n + 1);
    if (!x->repeated)
        return lk_fail(e, LK_EOOM, "no memory for %zu files", n);
    for (size_t i = x->counting; i < x->queue.count; i++)
        LK_TRY(keep_repeated(x, &x->queue.items[i], e));
    if (x->queue.untried)
        lk_run_warn(x->out, "", 0,
                    lk_arena_printf(&x->out->arena,
                                    "%" PRIu64 " files begin as more than %d others do: they were not "
                                    "compared with all of those, and may repeat one",
                                    x->queue.untried, LK_REPEATS_TRIED));
    return LK_OK;
}

/* What one input takes until its turn: in the queue, in the merge, in the lists of names. */
static size_t waiting_bytes(const lk_inputs *in, size_t each)
{
    enum { LISTED = 24, TEXT = 24 };
    size_t sum = 0;

    for (size_t i = 0; i < in->count; i++)
        sum += each + LK_QUEUE_BYTES + LISTED + TEXT + strlen(in->list[i].path);
    return sum;
}

lk_code lk_run_list_inputs(lk_run *x, size_t each, lk_err *e)
{
    static const char *const STDIN_ONLY[] = { "-" };
    const bool is_given = x->options->file_count > 0;
    lk_inputs *in = &x->inputs;
    bool is_long;

    LK_TRY(lk_inputs_list(is_given ? x->options->files : STDIN_ONLY,
                          is_given ? x->options->file_count : 1, &x->out->arena, in, e));
    is_long = each || in->count > x->bounds.max[LK_BOUND_FILES];
    LK_TRY(lk_bounds_for_files(&x->bounds, in->count, is_long ? waiting_bytes(in, each) : 0, e));
    x->out->bounds = x->bounds;
    if (!x->options->max_line)
        x->reading.max_line = x->bounds.max[LK_BOUND_LINE];
    x->reading.unpack_room = x->bounds.unpack_room;
    return LK_OK;
}

static lk_code fill_queue(lk_run *x, size_t kept_max, lk_err *e)
{
    const lk_queue_hooks hooks = { prepare, take_missing, lk_run_add_to_rest, x };
    const size_t n = x->inputs.count, rows = n < kept_max ? n : kept_max;

    x->files = LK_NEW(&x->out->arena, lk_logfile *, rows + 2);
    x->missing = LK_NEW(&x->out->arena, lk_report_file, rows + 1);
    if (!x->files || !x->missing)
        return lk_fail(e, LK_EOOM, "no memory for %zu files", n);
    lk_reading_share_peek(&x->reading, n);
    LK_TRY(lk_queue_init(&x->queue, n, kept_max, &x->symbols, &x->reading, &hooks, &x->out->arena, e));
    for (size_t i = 0; i < n; i++)
        LK_TRY(lk_queue_add(&x->queue, &x->inputs.list[i], e));
    lk_inputs_release(&x->inputs);
    lk_queue_sort(&x->queue);
    return LK_OK;
}

lk_code lk_run_open_files(lk_run *x, size_t kept_max, lk_err *e)
{
    if (x->options->rejects) /* once folders are listed: it is written in a file beside */
        LK_TRY(lk_rejects_open(x->options->rejects, &x->rejects, e));
    LK_TRY(fill_queue(x, kept_max, e));
    LK_TRY(set_repeats_aside(x, e));
    LK_TRY(lk_queue_open_first(&x->queue, x->counting, &x->file_count, e));
    for (size_t i = 0; i < x->file_count; i++)
        x->files[i] = x->queue.items[i].file;
    return settle_layouts(x, e);
}

/* Small parts of a log do not show all of how its lines are read. */
static void warn_on_unlike(lk_run *x)
{
    const lk_source_account *a, *b;

    if (lk_dictionary_find_unlike(&x->states->dictionary, &a, &b))
        lk_run_warn(x->out, "", 0,
                    lk_arena_printf(
                        &x->out->arena,
                        "'%s' and '%s' are both %s, and their lines were read in different ways: "
                        "if they are parts of one log, map --like LOG reads them as the whole is",
                        a->name, b->name, a->format));
}

/* States in place of files: the account of the files that they came from. */
lk_code lk_run_begin_states(lk_run *x, lk_err *e)
{
    LK_TRY(lk_states_begin(x->states, &x->symbols, e));
    x->missing = LK_NEW(&x->out->arena, lk_report_file, 1);
    if (!x->missing)
        return lk_fail(e, LK_EOOM, "no memory for states");
    LK_TRY(lk_states_files(x->states, &x->addresses, &x->out->arena, &x->files, &x->file_count, e));
    for (size_t i = 0; i < x->file_count; i++)
        if (x->files[i]->trouble.code != LK_OK)
            lk_run_fail_input(x->out, x->files[i]->path, &x->files[i]->trouble);
    warn_on_unlike(x);
    return LK_OK;
}
