#include "cli/terminal.h"

#include "base/slice.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH_MIN = 40, WIDTH_MAX = 400 };

static const char *set(const char *name)
{
    const char *value = getenv(name);

    return value && value[0] ? value : NULL;
}

static bool names_utf8(const char *locale)
{
    for (; *locale; locale++)
        if (strncasecmp(locale, "utf-8", 5) == 0 || strncasecmp(locale, "utf8", 4) == 0)
            return true;
    return false;
}

bool lk_terminal_has_utf8(void)
{
    static const char *const NAMES[] = { "LC_ALL", "LC_CTYPE", "LANG" };

    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        const char *locale = set(NAMES[i]);

        if (locale)
            return names_utf8(locale);
    }
    return false;
}

bool lk_terminal_is_able(void)
{
    const char *term = set("TERM");

    return term && strcmp(term, "dumb") != 0;
}

bool lk_terminal_has_colour(void)
{
    return isatty(STDOUT_FILENO) && !set("NO_COLOR") && lk_terminal_is_able();
}

size_t lk_terminal_height(void)
{
    const char *given = set("LINES");
    struct winsize size = { 0 };
    uint64_t lines;

    if (given && lk_slice_u64(lk_slice_from(given), &lines) && lines > 0)
        return lines < SIZE_MAX ? (size_t)lines : SIZE_MAX;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : 24;
}

static size_t bounded(size_t width)
{
    return width < WIDTH_MIN ? WIDTH_MIN : width > WIDTH_MAX ? WIDTH_MAX : width;
}

size_t lk_terminal_width_of(int fd)
{
    struct winsize size = { 0 };

    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return bounded(size.ws_col);
    return LK_WIDTH_DEFAULT;
}

size_t lk_terminal_width(void)
{
    const char *given = set("COLUMNS");
    uint64_t columns;

    if (!isatty(STDOUT_FILENO))
        return LK_WIDTH_DEFAULT;
    if (given && lk_slice_u64(lk_slice_from(given), &columns) && columns > 0)
        return bounded(columns < WIDTH_MAX ? (size_t)columns : WIDTH_MAX);
    return lk_terminal_width_of(STDOUT_FILENO);
}
