#include "report/html_part.h"
#include "report/rows.h"
#include "report/words.h"

static void (*const PARTS[])(lk_html *h, const lk_report *r) = {
    lk_html_verdict,      lk_html_arrivals,    lk_html_incident,      lk_html_rates,
    lk_html_clocks,       lk_html_spectrum,    lk_html_amplification, lk_html_by, lk_html_policies,
    lk_html_fixed_delays, lk_html_retry_after, lk_html_wasted,        lk_html_capacity,
    lk_html_advice,       lk_html_notes,       lk_html_inputs,
};

/* Nothing may be fetched, run, embedded or sent: whatever a log may hold, a browser will not act. */
static const char HEAD[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<meta name=\"referrer\" content=\"no-referrer\">\n"
    "<link rel=\"icon\" href=\"data:,\">\n";

static void add_head(lk_html *h, const lk_report *r)
{
    lk_html_raw(h, HEAD);
    if (r->input.span_start_ns != LK_TIME_NONE)
        lk_html_element(h, "title", NULL, "lockstep report of %s UTC",
                        lk_word_instant(r->input.span_start_ns).text);
    else
        lk_html_element(h, "title", NULL, "lockstep report");
    lk_html_raw(h, "<style>\n");
    for (size_t i = 0; LK_HTML_STYLE[i]; i++)
        lk_html_raw(h, LK_HTML_STYLE[i]);
    lk_html_raw(h, "</style>\n</head>\n<body>\n");
}

static const char FOOT[] =
    "</main>\n<footer><p>Made by lockstep from an access log. Times are UTC. What is not known is "
    "said so; it is never shown as 0.</p></footer>\n</body>\n</html>\n";

static lk_code render_html(const lk_report *r, const lk_style *style, lk_buf *out, lk_err *e)
{
    lk_arena arena;
    lk_html html = { &arena, out };

    (void)style;
    lk_arena_init(&arena, 0);
    add_head(&html, r);
    for (size_t i = 0; i < sizeof(PARTS) / sizeof(PARTS[0]); i++)
        PARTS[i](&html, r);
    lk_html_raw(&html, FOOT);
    out->failed |= arena.failed;
    lk_arena_release(&arena);
    return out->failed ? lk_fail(e, LK_EOOM, "no memory for an HTML report") : LK_OK;
}

const lk_renderer LK_RENDER_HTML = {
    .name = "html",
    .help = "a page with pictures, one file, for those who were not there",
    .render = render_html,
};
