#include "infer/steps.h"

#include <stdarg.h>
#include <stdio.h>

enum { LINE_MAX_BYTES = 512 };

void lk_steps_say(lk_buf *steps, unsigned depth, const char *fmt, ...)
{
    char line[LINE_MAX_BYTES];
    va_list args;

    if (!steps)
        return;
    va_start(args, fmt);
    (void)vsnprintf(line, sizeof(line), fmt, args);
    va_end(args);
    lk_buf_fill(steps, ' ', (size_t)2 * depth);
    lk_buf_text(steps, line);
    lk_buf_text(steps, "\n");
}
