#include "cli/cmd.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

enum { LINE_COLUMNS = 1000 };

/* Arguments and file names may hold anything; nothing of it acts on a terminal. */
int lk_complain(int status, const char *fmt, ...)
{
    char text[2048];
    lk_arena arena;
    const char *safe;
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    lk_arena_init(&arena, 0);
    safe = lk_text_safe(&arena, lk_slice_from(text), LINE_COLUMNS);
    (void)fprintf(stderr, "lockstep: %s\n", safe ? safe : "out of memory");
    lk_arena_release(&arena);
    return status;
}

int lk_complain_of(const lk_err *e)
{
    return lk_complain(lk_code_status(e->code), "%s%s%s%s",
                       e->code == LK_EOOM ? "out of memory: " : "", e->file, e->file[0] ? ": " : "",
                       e->msg);
}
