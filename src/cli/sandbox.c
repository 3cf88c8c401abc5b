#define _XOPEN_SOURCE 700 /* realpath */

#include "cli/sandbox.h"

#include "base/outfile.h"
#include "cli/landlock.h"
#include "cli/syscalls.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
/* Coverage writes its counts into the build's folder when the program ends; a sanitizer then looks for leaks
 * from a process of its own that traces this one. */
#if defined(LK_COVERAGE) || defined(IS_SANITIZED)
#define KEEPS_RIGHTS true
#else
#define KEEPS_RIGHTS false
#endif

static const char *const ALWAYS[] = {
    "/dev/urandom",
    "/usr/share/zoneinfo",
    "/usr/lib/zoneinfo",
    "/usr/share/lib/zoneinfo",
    "/etc/zoneinfo",
    "/etc/localtime",                 /* zoneinfo/localtime may lead there            */
    "/sys/devices/system/cpu/online", /* where glibc before 2.34 counts processors    */
};

void lk_sandbox_begin(lk_sandbox *s, bool is_off)
{
    const char *zones = getenv("TZDIR");

    is_off = is_off || KEEPS_RIGHTS;
    *s = (lk_sandbox){ .is_off = is_off, .rules = is_off ? -1 : lk_landlock_new() };
    for (size_t i = 0; i < sizeof(ALWAYS) / sizeof(ALWAYS[0]); i++)
        lk_landlock_allow(s->rules, ALWAYS[i], LK_LANDLOCK_READ);
    if (zones && *zones)
        lk_landlock_allow(s->rules, zones, LK_LANDLOCK_READ);
}

static bool is_file(const char *path)
{
    return path && strcmp(path, "-") != 0;
}

/* "." for a bare name; false: too long for any file. */
static bool folder_of(const char *path, char out[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    const size_t len = slash == path ? 1 : slash ? (size_t)(slash - path) : 1;

    return (size_t)snprintf(out, PATH_MAX, "%.*s", (int)(len < PATH_MAX ? len : PATH_MAX),
                            slash ? path : ".") < PATH_MAX;
}

/* Links in a folder lead out of it; those to other folders are passed over, as those in it are. */
static void allow_links(lk_sandbox *s, const char *folder, DIR *d)
{
    const struct dirent *entry;
    char path[PATH_MAX];
    struct stat st;

    while ((entry = readdir(d)) != NULL)
        if (entry->d_name[0] != '.' &&
            (size_t)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name) < sizeof(path) &&
            lstat(path, &st) == 0 && S_ISLNK(st.st_mode) &&
            stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
            lk_landlock_allow(s->rules, path, LK_LANDLOCK_READ);
}

void lk_sandbox_input(lk_sandbox *s, const char *path)
{
    char folder[PATH_MAX];
    struct stat st;
    DIR *d;

    if (s->rules < 0 || !is_file(path) || stat(path, &st) != 0)
        return;
    if (S_ISDIR(st.st_mode) && (d = opendir(path)) != NULL) {
        allow_links(s, path, d);
        (void)closedir(d);
    }
    if (++s->inputs <= LK_SANDBOX_FILES || S_ISDIR(st.st_mode)) {
        lk_landlock_allow(s->rules, path, LK_LANDLOCK_READ);
        return;
    }
    if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
        lk_landlock_allow(s->rules, path, LK_LANDLOCK_READ);
    else if (folder_of(path, folder) && strcmp(folder, s->folder) != 0) {
        memcpy(s->folder, folder, sizeof(folder));
        lk_landlock_allow(s->rules, folder, LK_LANDLOCK_READ);
    }
}

void lk_sandbox_inputs(lk_sandbox *s, const char *const *paths, size_t count)
{
    for (size_t i = 0; i < count; i++)
        lk_sandbox_input(s, paths[i]);
}

/* The nearest folder above that is there. */
static void allow_folder_of(lk_sandbox *s, const char *path, lk_landlock_use use)
{
    char folder[PATH_MAX], above[PATH_MAX];
    struct stat st;

    if (!folder_of(path, folder))
        return;
    while (use == LK_LANDLOCK_READ && stat(folder, &st) != 0 && folder_of(folder, above) &&
           strcmp(folder, above) != 0)
        memcpy(folder, above, sizeof(folder));
    lk_landlock_allow(s->rules, folder, use);
}

/* The links on the way may be switched (current -> releases/7): what stands beside them, and beside
 * what they lead to, is where they may lead next.  Not beside the root: that were everything. */
static void allow_switches(lk_sandbox *s, const char *path)
{
    char part[PATH_MAX], real[PATH_MAX], folder[PATH_MAX];
    struct stat st;

    for (size_t len = 1; path[len - 1] != '\0' && len < sizeof(part); len++) {
        if (path[len] != '/' && path[len] != '\0')
            continue;
        memcpy(part, path, len);
        part[len] = '\0';
        if (lstat(part, &st) != 0 || !S_ISLNK(st.st_mode))
            continue;
        if (folder_of(part, folder) && strcmp(folder, "/") != 0)
            lk_landlock_allow(s->rules, folder, LK_LANDLOCK_READ);
        if (realpath(part, real) && folder_of(real, folder) && strcmp(folder, "/") != 0)
            lk_landlock_allow(s->rules, folder, LK_LANDLOCK_READ);
    }
}

void lk_sandbox_follow(lk_sandbox *s, const char *path)
{
    char target[PATH_MAX];
    struct stat st;

    if (s->rules < 0 || !is_file(path))
        return;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
        lk_landlock_allow(s->rules, path, LK_LANDLOCK_READ);
        return;
    }
    allow_switches(s, path);
    allow_folder_of(s, path, LK_LANDLOCK_READ);
    if (realpath(path, target))
        allow_folder_of(s, target, LK_LANDLOCK_READ);
}

void lk_sandbox_output(lk_sandbox *s, const char *path)
{
    char target[PATH_MAX];
    struct stat st;

    if (s->rules < 0 || !is_file(path))
        return;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        lk_landlock_allow(s->rules, path, LK_LANDLOCK_WRITE);
    else if (lk_outfile_target(path, target) == 0)
        allow_folder_of(s, target, LK_LANDLOCK_MAKE);
}

void lk_sandbox_enter(lk_sandbox *s)
{
    if (s->is_off)
        return;
    (void)lk_landlock_enter(s->rules);
    s->rules = -1;
    (void)lk_syscalls_give_up();
}

void lk_sandbox_tell(lk_buf *out)
{
    const int version = KEEPS_RIGHTS ? 0 : lk_landlock_version();
    const bool has_filter = !KEEPS_RIGHTS && lk_syscalls_can();

    if (version)
        lk_buf_printf(out, "landlock %d%s", version, has_filter ? ", " : "");
    if (has_filter)
        lk_buf_text(out, "seccomp");
    if (!version && !has_filter)
        lk_buf_text(out, "none");
}
