#include "report/rows.h"
#include "report/text_part.h"

static void (*const PARTS[])(lk_page *p, const lk_report *r) = {
    lk_text_verdict,       lk_text_rates,  lk_text_incident,
    lk_text_arrivals,
    lk_text_amplification, lk_text_by, lk_text_wasted, lk_text_clocks, lk_text_fixed_delays,
    lk_text_policies,      lk_text_retry_after, lk_text_capacity, lk_text_advice,
    lk_text_inputs,        lk_text_notes, lk_text_basis,
};

static lk_code render_text(const lk_report *r, const lk_style *style, lk_buf *out, lk_err *e)
{
    lk_arena arena;
    lk_page page;

    lk_arena_init(&arena, 0);
    lk_page_init(&page, style, &arena, out);
    for (size_t i = 0; i < sizeof(PARTS) / sizeof(PARTS[0]); i++)
        PARTS[i](&page, r);
    out->failed |= arena.failed;
    lk_arena_release(&arena);
    return out->failed ? lk_fail(e, LK_EOOM, "no memory for a text report") : LK_OK;
}

const lk_renderer LK_RENDER_TEXT = {
    .name = "text",
    .help = "for reading: the verdict first, then what it rests on",
    .render = render_text,
};
