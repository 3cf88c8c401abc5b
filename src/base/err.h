/* base/err — the one error type: what failed, where, in one line.
 *
 * Owner:  the caller's struct; nothing is allocated.
 * Errors: every fallible function returns an lk_code and fills the caller's lk_err; on success it
 *         leaves *e untouched.
 * Source: exit statuses are those of the report contract (lockstep-report(5)).  */
#ifndef LK_BASE_ERR_H
#define LK_BASE_ERR_H

#include <stdint.h>

#define LK_MUST_CHECK __attribute__((warn_unused_result))
#define LK_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* name, exit status, text */
#define LK_CODES(X)                                    \
    X(OK, 0, "ok")                                     \
    X(EUSAGE, 2, "wrong use")                          \
    X(EIO, 3, "input cannot be read")                  \
    X(EDATA, 3, "input is not a log that we can read") \
    X(ETRUNC, 3, "input ends early")                   \
    X(EOOM, 3, "out of memory")                        \
    X(EOUT, 4, "output cannot be written")             \
    X(ECANCEL, 143, "nothing is wanted any more")

typedef enum lk_code {
#define LK_CODE_ENUM(name, status, text) LK_##name,
    LK_CODES(LK_CODE_ENUM)
#undef LK_CODE_ENUM
} lk_code;

/* Three outcomes, three values. */
typedef enum lk_step { LK_STEP_FAIL = -1, LK_STEP_END = 0, LK_STEP_ITEM = 1 } lk_step;

typedef struct lk_err {
    lk_code code;
    uint64_t line;  /* 1-based input line; 0 = not tied to a line */
    char file[256]; /* NUL-terminated, "" = not tied to a file    */
    char msg[256];  /* one line, lower case, no full stop         */
} lk_err;

/* What `= { 0 }` gives, to those who read texts to their ends: half a kilobyte less for each line of a log. */
static inline void lk_err_clear(lk_err *e)
{
    e->code = (lk_code)0;
    e->line = 0;
    e->file[0] = e->msg[0] = '\0';
}

/* Fills *e (code and message; file and line stay as they are) and returns `code`. */
lk_code lk_fail(lk_err *e, lk_code code, const char *fmt, ...) LK_PRINTF(3, 4);

/* Adds the file to an error that has none yet; returns e->code. */
lk_code lk_fail_in(lk_err *e, const char *file);

int lk_code_status(lk_code code);
const char *lk_code_name(lk_code code);
const char *lk_code_text(lk_code code);

#define LK_TRY(expr)                  \
    do {                              \
        lk_code lk_try_code = (expr); \
        if (lk_try_code != LK_OK)     \
            return lk_try_code;       \
    } while (0)

#endif
