/* The inputs of a run: files that open, in order of their first instant, or saved states. */
#include "api/inputs.h"
#include "api/repeats.h"
#include "api/run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static lk_code open_file(lk_run *x, const lk_input *in, lk_err *e)
{
    lk_logfile *f = LK_NEW(&x->out->arena, lk_logfile, 1);
    const char *path = in->path;
    lk_err trouble = in->trouble;

    if (!f)
        return lk_fail(e, LK_EOOM, "no memory to open '%s'", path);
    if (trouble.code == LK_OK &&
        lk_logfile_open(f, path, &x->symbols, &x->reading, &x->out->arena, &trouble) == LK_OK) {
        f->addresses = &x->addresses;
        f->breakdown = x->breakdown;
        f->above = &x->above;
        f->descriptors = &x->descriptors;
        f->rejects = x->rejects;
        f->details = x->attempts ? lk_attempt_stream_details(x->attempts) : NULL;
        x->files[x->file_count++] = f;
        return LK_OK;
    }
    if (trouble.code == LK_EOOM)
        return lk_fail(e, LK_EOOM, "%s", trouble.msg);
    lk_run_fail_input(x->out, path, &trouble);
    x->missing[x->missing_count++] = (lk_report_file){
        .path = path,
        .compression = "none",
        .problem = lk_arena_text(&x->out->arena, lk_slice_from(trouble.msg)),
        .first_ns = LK_TIME_NONE,
    };
    return LK_OK;
}

static int by_first_instant(const void *pa, const void *pb)
{
    const lk_logfile *a = *(lk_logfile *const *)pa, *b = *(lk_logfile *const *)pb;

    if (a->source.first_ns != b->source.first_ns)
        return a->source.first_ns < b->source.first_ns ? -1 : 1;
    return strcmp(a->path, b->path);
}

/* The layout that file i and the later files like it show together, for all of them. */
static void settle_alike(lk_run *x, size_t i, lk_sniffer *pooled)
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
    lk_logfile_settle(x->files[i], &layout);
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
    for (size_t i = 0; i < x->file_count && !x->like_count; i++)
        if (x->files[i]->sniffer)
            settle_alike(x, i, pooled);
    free(pooled);
    return code;
}

/* Puts the files that only repeat others aside. */
static lk_code set_repeats_aside(lk_run *x, lk_err *e)
{
    size_t kept = 0;

    LK_TRY(lk_repeats_find(x->files, x->file_count, e));
    x->repeated = LK_NEW(&x->out->arena, lk_logfile *, x->file_count + 1);
    if (!x->repeated)
        return lk_fail(e, LK_EOOM, "no memory for %zu files", x->file_count);
    for (size_t i = 0; i < x->file_count; i++) {
        if (x->files[i]->repeats) {
            lk_logfile_close(x->files[i]);
            x->repeated[x->repeated_count++] = x->files[i];
        } else {
            x->files[kept++] = x->files[i];
        }
    }
    x->file_count = kept;
    return LK_OK;
}

lk_code lk_run_open_files(lk_run *x, lk_err *e)
{
    static const char *const STDIN_ONLY[] = { "-" };
    const bool is_given = x->options->file_count > 0;
    lk_inputs in;

    LK_TRY(lk_inputs_list(is_given ? x->options->files : STDIN_ONLY,
                          is_given ? x->options->file_count : 1, &x->out->arena, &in, e));
    if (x->options->rejects) /* once folders are listed: it is written in a file beside */
        LK_TRY(lk_rejects_open(x->options->rejects, &x->rejects, e));
    x->files = LK_NEW(&x->out->arena, lk_logfile *, in.count + 1);
    x->missing = LK_NEW(&x->out->arena, lk_report_file, in.count + 1);
    if (!x->files || !x->missing)
        return lk_fail(e, LK_EOOM, "no memory for %zu files", in.count);
    lk_reading_share_peek(&x->reading, in.count);
    for (size_t i = 0; i < in.count; i++)
        LK_TRY(open_file(x, &in.list[i], e));
    if (x->file_count)
        qsort(x->files, x->file_count, sizeof(*x->files), by_first_instant);
    LK_TRY(set_repeats_aside(x, e));
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
