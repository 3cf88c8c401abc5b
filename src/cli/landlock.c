#define _GNU_SOURCE /* syscall, O_PATH */

#include "cli/landlock.h"

#if defined(__linux__)

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The numbers are those of every architecture; the structs grow at their end with the version. */
enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446, GIVE_VERSION = 1, PATH_BENEATH = 1 };

typedef struct ruleset {
    uint64_t files, net, scoped;
} ruleset;

typedef struct __attribute__((packed)) path_rule {
    uint64_t allowed;
    int32_t fd;
} path_rule;

enum {
    WRITE_FILE = 1 << 1,
    READ_FILE = 1 << 2,
    READ_DIR = 1 << 3,
    REMOVE_FILE = 1 << 5,
    MAKE_REG = 1 << 8,
    TRUNCATE = 1 << 14,
    FILES_1 = (1 << 13) - 1, /* what version 1 knows */
    FILES_2 = (1 << 14) - 1,
    FILES_3 = (1 << 15) - 1,
    FILES_5 = (1 << 16) - 1,
    TCP = 3,   /* bind, connect                                   */
    SCOPES = 3 /* abstract sockets of others, signals to others */
};

int lk_landlock_version(void)
{
    const long got = syscall(CREATE_RULESET, NULL, 0, GIVE_VERSION);

    return got > 0 ? (int)got : 0;
}

static uint64_t known(int version)
{
    return version >= 5 ? FILES_5 : version >= 3 ? FILES_3 : version == 2 ? FILES_2 : FILES_1;
}

int lk_landlock_new(void)
{
    const int version = lk_landlock_version();
    const ruleset all = { known(version), version >= 4 ? TCP : 0, version >= 6 ? SCOPES : 0 };
    const size_t size = version >= 6   ? sizeof(all)
                        : version >= 4 ? offsetof(ruleset, scoped)
                                       : offsetof(ruleset, net);

    return version ? (int)syscall(CREATE_RULESET, &all, size, 0) : -1;
}

static uint64_t rights(lk_landlock_use use, bool is_folder)
{
    switch (use) {
    case LK_LANDLOCK_READ: return is_folder ? READ_FILE | READ_DIR : READ_FILE;
    case LK_LANDLOCK_WRITE: return WRITE_FILE | TRUNCATE;
    case LK_LANDLOCK_MAKE: return WRITE_FILE | TRUNCATE | MAKE_REG | REMOVE_FILE;
    }
    return 0;
}

void lk_landlock_allow(int rules, const char *path, lk_landlock_use use)
{
    const int fd = rules >= 0 ? open(path, O_PATH | O_CLOEXEC) : -1;
    struct stat st;

    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && (use != LK_LANDLOCK_MAKE || S_ISDIR(st.st_mode))) {
        const path_rule rule = { rights(use, S_ISDIR(st.st_mode)) & known(lk_landlock_version()), fd };

        (void)syscall(ADD_RULE, rules, PATH_BENEATH, &rule, 0);
    }
    (void)close(fd);
}

bool lk_landlock_enter(int rules)
{
    const bool is_in = rules >= 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                       syscall(RESTRICT_SELF, rules, 0) == 0;

    if (rules >= 0)
        (void)close(rules);
    return is_in;
}

#else

int lk_landlock_version(void)
{
    return 0;
}

int lk_landlock_new(void)
{
    return -1;
}

void lk_landlock_allow(int rules, const char *path, lk_landlock_use use)
{
    (void)rules;
    (void)path;
    (void)use;
}

bool lk_landlock_enter(int rules)
{
    (void)rules;
    return false;
}

#endif
