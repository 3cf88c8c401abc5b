/* The keys and their order are those of lockstep-report(5); schema.c says the same as a schema. */
#include "base/text.h"
#include "report/json_part.h"
#include "report/rows.h"

#define SCHEMA_NAME "lockstep.report/1"
#define GENERATOR_VERSION \
    "0.1.0" /* LOCKSTEP_VERSION, which lies above this layer; a test compares */

void lk_json_part_text(lk_json_part *p, lk_json *parent, const char *key, const char *raw)
{
    char *safe = raw ? lk_text_safe(p->arena, lk_slice_from(raw), SIZE_MAX) : NULL;

    if (raw && !safe)
        p->failed = true;
    lk_json_add_text(parent, key, safe);
}

lk_json *lk_json_part_item(lk_json *array)
{
    return array ? lk_json_object(array, NULL) : NULL;
}

void lk_json_part_known(lk_json *parent, const char *key, lk_known known)
{
    if (known == LK_NOT_KNOWN)
        lk_json_add_null(parent, key);
    else
        lk_json_add_bool(parent, key, known == LK_YES);
}

static void add_schema(lk_json_part *p, lk_json *root)
{
    (void)p;
    lk_json_add_text(root, "schema", SCHEMA_NAME);
}

static void add_generator(lk_json_part *p, lk_json *root)
{
    lk_json *g = lk_json_object(root, "generator");

    (void)p;
    lk_json_add_text(g, "name", "lockstep");
    lk_json_add_text(g, "version", GENERATOR_VERSION);
}

static void add_verdict(lk_json_part *p, lk_json *root)
{
    lk_json *v = lk_json_object(root, "verdict");

    lk_json_part_known(v, "synchronised", p->report->synchronised);
    lk_json_part_known(v, "overload", p->report->overload);
    lk_json_part_text(p, v, "headline", p->report->headline);
    lk_json_add_count(v, "exit_status", p->report->exit_status);
}

/* Sentences of the program's own: what was not knowable. */
static void add_notes(lk_json_part *p, lk_json *root)
{
    lk_json *array = lk_json_array(root, "notes");

    for (size_t i = 0; i < p->report->note_count; i++)
        lk_json_part_text(p, array, NULL, p->report->notes[i]);
}

static void (*const PARTS[])(lk_json_part *p, lk_json *root) = {
    add_schema,
    add_generator,
    add_verdict,
    lk_json_part_incident,
    lk_json_part_input,
    lk_json_part_http,
    lk_json_part_calls,
    lk_json_part_reconciliation,
    lk_json_part_wasted,
    lk_json_part_arrivals,
    lk_json_part_spectrum,
    lk_json_part_clocks,
    lk_json_part_fixed_delays,
    lk_json_part_layers,
    lk_json_part_amplification,
    lk_json_part_policies,
    lk_json_part_retry_after,
    lk_json_part_capacity,
    lk_json_part_outlook,
    lk_json_part_workload,
    lk_json_part_advice,
    add_notes,
    lk_json_part_by,
};

static lk_code print_document(const lk_json_part *p, const lk_json *root, lk_buf *out, lk_err *e)
{
    if (p->failed)
        return lk_fail(e, LK_EOOM, "no memory for a JSON report");
    return lk_json_print(root, out, e);
}

static lk_code render_json(const lk_report *r, const lk_style *style, lk_buf *out, lk_err *e)
{
    lk_arena arena;
    lk_json_part part = { r, &arena, false };
    lk_json *root = lk_json_object(NULL, NULL);
    lk_code code;
    size_t i;

    (void)style;
    lk_arena_init(&arena, 0);
    for (i = 0; i < sizeof(PARTS) / sizeof(PARTS[0]); i++)
        PARTS[i](&part, root);
    code = print_document(&part, root, out, e);
    lk_json_free(root);
    return lk_arena_close(&arena, code, e);
}

const lk_renderer LK_RENDER_JSON = {
    .name = "json",
    .help = "one object, lockstep.report/1, see lockstep-report(5)",
    .render = render_json,
};
