#include "cli/printing.h"

#include "cli/cmd.h"
#include "cli/output.h"
#include "cli/terminal.h"

#include <string.h>

void lk_printing_init(lk_printing *p)
{
    *p = (lk_printing){ .format = lockstep_format_name(0),
                        .colour = "auto",
                        .pager = LK_PAGER_INIT };
}

static lk_code check_format(const char *format, lk_err *e)
{
    for (size_t i = 0; lockstep_format_name(i); i++)
        if (strcmp(lockstep_format_name(i), format) == 0)
            return LK_OK;
    return lk_fail(e, LK_EUSAGE,
                   "--format: unknown report format '%s'; 'lockstep help analyze' lists them",
                   format);
}

static lk_code check_table(const lk_printing *p, lk_err *e)
{
    if (!p->table)
        return LK_OK;
    if (strcmp(p->format, "csv") != 0)
        return lk_fail(e, LK_EUSAGE, "--table goes with --format csv only");
    for (size_t i = 0; lockstep_table_name(i); i++)
        if (strcmp(lockstep_table_name(i), p->table) == 0)
            return LK_OK;
    return lk_fail(e, LK_EUSAGE, "--table: unknown table '%s'; 'lockstep help analyze' lists them",
                   p->table);
}

lk_code lk_printing_check_colour(const lk_printing *p, lk_err *e)
{
    const char *when = p->colour;

    if (strcmp(when, "auto") == 0 || strcmp(when, "always") == 0 || strcmp(when, "never") == 0)
        return LK_OK;
    return lk_fail(e, LK_EUSAGE, "--color: '%s' is not auto, always or never", when);
}

lk_code lk_printing_check(const lk_printing *p, lk_err *e)
{
    LK_TRY(check_format(p->format, e));
    LK_TRY(check_table(p, e));
    return lk_printing_check_colour(p, e);
}

/* A file is as a pipe: 80 columns, no colour unless it is asked for. */
lockstep_style lk_printing_style(const lk_printing *p)
{
    lockstep_style style = LOCKSTEP_STYLE_INIT;

    style.width = p->output ? LK_WIDTH_DEFAULT : lk_terminal_width();
    style.table = p->table;
    style.ascii = p->ascii || !lk_terminal_has_utf8();
    style.colour = strcmp(p->colour, "always") == 0 ||
                   (strcmp(p->colour, "auto") == 0 && !p->output && lk_terminal_has_colour());
    return style;
}

void lk_printing_open(lk_printing *p, lk_sandbox *sandbox)
{
    if (!p->output && !p->no_pager)
        lk_pager_prepare(&p->pager);
    lk_sandbox_begin(sandbox, p->no_sandbox);
    lk_sandbox_output(sandbox, p->output);
}

void lk_printing_close(lk_printing *p)
{
    lk_pager_release(&p->pager);
}

int lk_printing_deliver(lk_printing *p, const char *text, size_t len, lk_buf *out)
{
    lk_err e = { 0 };

    if (p->output)
        return lk_output_file(p->output, text, len, &e) == LK_OK ? 0 : lk_complain_of(&e);
    if (p->no_pager || !lk_pager_show(&p->pager, text, len))
        lk_buf_add(out, text, len);
    return 0;
}

int lk_printing_print(lk_printing *p, const lockstep_report *report, lk_buf *out)
{
    lockstep_style style = lk_printing_style(p);
    lockstep_error error = { 0 };
    char *text = NULL;
    size_t len = 0;
    int status = lockstep_render(report, p->format, &style, &text, &len, &error);

    if (status != 0)
        return lk_complain(status, "%s", error.message);
    status = lk_printing_deliver(p, text, len, out);
    lockstep_text_free(text);
    return status;
}
