#include "base/zone_file.h"

#include "base/near.h"
#include "base/time.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { NAME_MAX_LEN = 64, FILE_MAX = 256 << 10, NEAR_MAX = 3, DEPTH_MAX = 3, PATH_LEN = 512 };

static const char *const FOLDERS[] = { "/usr/share/zoneinfo", "/usr/lib/zoneinfo",
                                       "/usr/share/lib/zoneinfo", "/etc/zoneinfo" };

/* Letters, digits, '_', '+', '-' and single slashes inside: nothing that leaves the folder. */
static bool is_name(const char *text)
{
    size_t len = strlen(text);

    if (len == 0 || len > NAME_MAX_LEN || text[0] == '/' || text[len - 1] == '/')
        return false;
    for (const char *p = text; *p; p++) {
        bool word = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
                    (*p >= '0' && *p <= '9') || *p == '_' || *p == '+' || *p == '-';

        if (!word && !(*p == '/' && p[1] != '/'))
            return false;
    }
    return true;
}

static bool is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static const char *folder_of(const char *given)
{
    if (given && *given)
        return given;
    for (size_t i = 0; i < sizeof(FOLDERS) / sizeof(FOLDERS[0]); i++)
        if (is_folder(FOLDERS[i]))
            return FOLDERS[i];
    return NULL;
}

/* ---- files ---- */

static bool join(char out[PATH_LEN], const char *folder, const char *name)
{
    int n = snprintf(out, PATH_LEN, "%s/%s", folder, name);

    return n > 0 && n < PATH_LEN;
}

/* All bytes of a regular file, in the arena; NONE when there is no such file. */
static lk_slice read_file(const char *path, lk_arena *a)
{
    struct stat st;
    FILE *file;
    char *bytes;
    size_t len = 0;

    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || !(file = fopen(path, "rb")))
        return LK_SLICE_NONE;
    bytes = LK_NEW(a, char, FILE_MAX);
    if (bytes)
        len = fread(bytes, 1, FILE_MAX, file);
    (void)fclose(file);
    return bytes ? (lk_slice){ bytes, len } : LK_SLICE_NONE;
}

static lk_code open_named(const char *name, const char *folder, lk_arena *a, lk_zone *out,
                          bool *found, lk_err *e)
{
    char path[PATH_LEN];
    lk_err why = { 0 };
    lk_slice bytes;

    *found = false;
    if (!folder || !is_name(name) || !join(path, folder, name))
        return LK_OK;
    bytes = read_file(path, a);
    if (!bytes.p)
        return LK_OK;
    *found = true;
    if (lk_zone_from_tzif(bytes, a, out, &why) != LK_OK)
        return lk_fail(e, why.code == LK_EOOM ? LK_EOOM : LK_EUSAGE, "time zone '%s': '%s' is %s",
                       name, path, why.msg);
    return LK_OK;
}

/* ---- names that are near ---- */

typedef struct nearness {
    const char *typed;
    char names[NEAR_MAX][NAME_MAX_LEN + 1];
    size_t count;
} nearness;

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_same_word(const char *a, const char *b)
{
    while (*a && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return *a == *b;
}

/* "berlin", "europe/berlin" and "Europe/Berln" are near "Europe/Berlin". */
static bool is_near(const char *typed, const char *name)
{
    const char *city = strrchr(name, '/');

    return is_same_word(typed, name) || lk_near(typed, name) ||
           (city && (is_same_word(typed, city + 1) || lk_near(typed, city + 1)));
}

/* In alphabetical order, whatever that of the folder; the last give way. */
static void keep(nearness *n, const char *name)
{
    size_t at = n->count;

    while (at > 0 && strcmp(name, n->names[at - 1]) < 0)
        at--;
    if (at == NEAR_MAX)
        return;
    if (n->count < NEAR_MAX)
        n->count++;
    memmove(n->names[at + 1], n->names[at], (n->count - 1 - at) * sizeof(n->names[0]));
    (void)snprintf(n->names[at], sizeof(n->names[0]), "%s", name);
}

static void look_into(nearness *n, const char *folder, const char *within, unsigned depth);

static void look_at(nearness *n, const char *folder, const char *within, const char *entry,
                    unsigned depth)
{
    char name[NAME_MAX_LEN + 1], path[PATH_LEN];
    int len = snprintf(name, sizeof(name), "%s%s%s", within, *within ? "/" : "", entry);

    if (len < 0 || len > NAME_MAX_LEN || !is_name(name) || !join(path, folder, name))
        return;
    /* the same zones once more, for other programs */
    if (strcmp(name, "posix") == 0 || strcmp(name, "right") == 0)
        return;
    if (is_folder(path))
        look_into(n, folder, name, depth + 1);
    else if (is_near(n->typed, name))
        keep(n, name);
}

static void look_into(nearness *n, const char *folder, const char *within, unsigned depth)
{
    char path[PATH_LEN];
    struct dirent *entry;
    DIR *dir;

    if (depth > DEPTH_MAX || !join(path, folder, within) || !(dir = opendir(path)))
        return;
    while ((entry = readdir(dir)))
        look_at(n, folder, within, entry->d_name, depth);
    (void)closedir(dir);
}

static lk_code unknown(const char *text, const char *folder, lk_err *e)
{
    nearness n = { .typed = text };
    char list[NEAR_MAX * (NAME_MAX_LEN + 8)] = "";
    size_t len = 0;

    if (folder)
        look_into(&n, folder, "", 0);
    for (size_t i = 0; i < n.count; i++)
        len += (size_t)snprintf(list + len, sizeof(list) - len, "%s'%s'",
                                i == 0 ? "" : i + 1 == n.count ? " or " : ", ", n.names[i]);
    if (n.count)
        return lk_fail(e, LK_EUSAGE, "time zone '%.64s' is not known; did you mean %s?", text, list);
    return lk_fail(e, LK_EUSAGE,
                   "time zone '%.64s' is not known: give an offset (+02:00), a name%s "
                   "(Europe/Berlin) or a rule (CET-1CEST,M3.5.0,M10.5.0/3)",
                   text, folder ? "" : ", of which this system has none,");
}

lk_code lk_zone_open(const char *text, const char *folder, lk_arena *a, lk_zone *out, lk_err *e)
{
    lk_slice s = lk_slice_from(text);
    lk_zone z = { .has_rule = true };
    int64_t ahead_ns;
    bool found;

    if (lk_time_zone(s, &ahead_ns)) {
        lk_zone_fixed(out, ahead_ns);
        return LK_OK;
    }
    folder = folder_of(folder);
    LK_TRY(open_named(text, folder, a, out, &found, e));
    if (found)
        return LK_OK;
    if (!lk_zone_rule_parse(s, &z.rule))
        return unknown(text, folder, e);
    z.first_ahead_s = z.rule.ahead_s;
    *out = z;
    return LK_OK;
}
