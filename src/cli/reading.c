#include "cli/reading.h"

#include "cli/cmd.h"

#include <unistd.h>

lk_code lk_reading_check(const lockstep_options *input, lk_err *e)
{
    if (input->file_count == 0 && isatty(STDIN_FILENO))
        return lk_fail(e, LK_EUSAGE, "no log given: name a FILE, or '-' for standard input");
    return LK_OK;
}

void lk_reading_warn(const lockstep_report *report)
{
    for (size_t i = 0; i < lockstep_warning_count(report); i++)
        (void)lk_complain(0, "%s", lockstep_warning(report, i));
}
