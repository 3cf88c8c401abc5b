#include "base/err.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct code_row {
    const char *name;
    int status;
    const char *text;
} code_row;

/* clang-format off */
static const code_row ROWS[] = {
#define CODE_ROW(name, status, text) { #name, status, text },
    LK_CODES(CODE_ROW)
#undef CODE_ROW
};
/* clang-format on */

static const code_row *row_of(lk_code code)
{
    assert((size_t)code < sizeof(ROWS) / sizeof(ROWS[0]));
    return &ROWS[code];
}

/* File names and strerror texts go into messages; a message stays one line whatever they hold. */
static void keep_one_line(char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = '?';
}

/* A path that is longer than a message gives way in its middle: what stands behind it is the reason. */
static void squeeze(char *msg, size_t size)
{
    enum { TAIL = 80 };
    static const char GAP[] = "...";
    const size_t len = strlen(msg), head = size - TAIL - sizeof(GAP);

    if (len < size)
        return;
    memcpy(msg + head, GAP, sizeof(GAP) - 1);
    memmove(msg + head + sizeof(GAP) - 1, msg + len - TAIL, TAIL + 1);
}

lk_code lk_fail(lk_err *e, lk_code code, const char *fmt, ...)
{
    char msg[8192]; /* apart, because an argument may be e->msg itself */
    va_list args;

    assert(code != LK_OK);
    va_start(args, fmt);
    (void)vsnprintf(msg, sizeof(msg), fmt, args);
    va_end(args);
    squeeze(msg, sizeof(e->msg));
    keep_one_line(msg);
    memcpy(e->msg, msg, strlen(msg) + 1);
    e->code = code;
    return code;
}

lk_code lk_fail_in(lk_err *e, const char *file)
{
    size_t len = strlen(file);

    if (e->file[0] != '\0')
        return e->code;
    if (len >= sizeof(e->file))
        len = sizeof(e->file) - 1;
    memcpy(e->file, file, len);
    e->file[len] = '\0';
    keep_one_line(e->file);
    return e->code;
}

int lk_code_status(lk_code code)
{
    return row_of(code)->status;
}

const char *lk_code_name(lk_code code)
{
    return row_of(code)->name;
}

const char *lk_code_text(lk_code code)
{
    return row_of(code)->text;
}
