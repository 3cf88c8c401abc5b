#include "cli/output.h"

#include "base/outfile.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* errno of the first write that failed, or 0. */
static int write_all(int fd, const char *text, size_t len)
{
    while (len > 0) {
        ssize_t wrote = write(fd, text, len);

        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            return errno;
        text += wrote;
        len -= (size_t)wrote;
    }
    return 0;
}

static int close_after(int fd, int failed)
{
    return close(fd) != 0 && failed == 0 ? errno : failed;
}

lk_code lk_output_stdout(const char *text, size_t len, lk_err *e)
{
    int failed = close_after(STDOUT_FILENO, write_all(STDOUT_FILENO, text, len));

    if (failed != 0 && failed != EPIPE)
        return lk_fail(e, LK_EOUT, "cannot write standard output: %s", strerror(failed));
    return LK_OK;
}

lk_code lk_output_now(const char *text, size_t len, bool *gone, lk_err *e)
{
    int failed = write_all(STDOUT_FILENO, text, len);

    *gone = failed == EPIPE;
    if (failed != 0 && failed != EPIPE)
        return lk_fail(e, LK_EOUT, "cannot write standard output: %s", strerror(failed));
    return LK_OK;
}

lk_code lk_output_file(const char *path, const char *text, size_t len, lk_err *e)
{
    lk_outfile out;

    LK_TRY(lk_outfile_open(&out, "", path, e));
    if (lk_outfile_add(&out, text, len, e) != LK_OK) {
        lk_outfile_abandon(&out);
        return e->code;
    }
    return lk_outfile_finish(&out, e);
}
