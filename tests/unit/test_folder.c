#include "unit.h"

#include "input/bytes.h"
#include "input/folder.h"
#include "input/lines.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    check(f && fputs(text, f) >= 0, "%s", path);
    (void)fclose(f);
}

/* A file that was let go is read on where it was, unless another one has its name. */
TEST(folder_bytes_go_on_after_they_were_let_go)
{
    char folder[] = "/tmp/lockstep-test-XXXXXX", path[64], other[64];
    lk_lines *l = NULL;
    lk_err e = { 0 };
    lk_line line;

    check(mkdtemp(folder) != NULL, "no folder");
    (void)snprintf(path, sizeof(path), "%s/log", folder);
    (void)snprintf(other, sizeof(other), "%s/other", folder);
    write_file(path, "one\ntwo\n");
    for (int replaced = 0; replaced < 2; replaced++) {
        check_ok(lk_lines_open(path, 0, &l, &e), e);
        lk_lines_let_go(l);
        if (replaced) {
            write_file(other, "three\n");
            check(rename(other, path) == 0, "no rename");
            check(lk_lines_next(l, &line, &e) == LK_STEP_FAIL && e.code == LK_EIO, "row 1");
            check(strstr(e.msg, "another file has taken its place"), "%s", e.msg);
        } else {
            check(lk_lines_next(l, &line, &e) == LK_STEP_ITEM, "%s", e.msg);
            check(lk_slice_is(line.text, "one"), "%.*s", (int)line.text.len, line.text.p);
            check(lk_lines_next(l, &line, &e) == LK_STEP_ITEM, "%s", e.msg);
            check(lk_lines_next(l, &line, &e) == LK_STEP_END, "an end");
        }
        lk_lines_close(l);
    }
    (void)unlink(path);
    (void)rmdir(folder);
}

TEST(folder_lists_by_name)
{
    static const char *const NAMES[] = { "b", "a", ".hidden", "a.1" };
    static const char *const WANT[] = { "/a", "/a.1", "/b" };
    char folder[] = "/tmp/lockstep-test-XXXXXX", path[64];
    lk_folder f;
    lk_arena arena;
    lk_err e = { 0 };

    lk_arena_init(&arena, 0);
    check(mkdtemp(folder) != NULL, "no folder");
    for (size_t i = 0; i < ROWS(NAMES); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", folder, NAMES[i]);
        write_file(path, "");
    }
    (void)snprintf(path, sizeof(path), "%s/within", folder);
    check(mkdir(path, 0700) == 0, "no folder");
    check(lk_folder_is(folder) && !lk_folder_is("/dev/null") && !lk_folder_is("/no/such"), "is");
    check_ok(lk_folder_list(folder, &arena, &f, &e), e);
    check(f.count == ROWS(WANT), "%zu", f.count);
    for (size_t i = 0; i < f.count; i++)
        check(strcmp(f.paths[i] + strlen(folder), WANT[i]) == 0, "%s", f.paths[i]);
    lk_folder_release(&f);
    check(lk_folder_list("/no/such", &arena, &f, &e) == LK_EIO && strstr(e.msg, "'/no/such'"), "%s",
          e.msg);
    (void)rmdir(path);
    for (size_t i = 0; i < ROWS(NAMES); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", folder, NAMES[i]);
        (void)unlink(path);
    }
    (void)rmdir(folder);
    lk_arena_release(&arena);
}

TESTS(T(folder_bytes_go_on_after_they_were_let_go), T(folder_lists_by_name))
