#include "cli/launcher.h"

#include "base/buf.h"
#include "cli/child.h"
#include "cli/cmd.h"
#include "cli/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    LOOK_MS = 100,     /* for programs that have ended */
    LINGER = 20,       /* of those, at the end         */
    VARIABLES_MAX = 32,
    ORDER_MAX = 1 << 20
};

/* ---- orders: a length, then texts with a NUL behind each: input, variables ---- */

static bool write_whole(int fd, const void *from, size_t len)
{
    const char *p = from;

    while (len > 0) {
        ssize_t wrote = write(fd, p, len);

        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            return false;
        p += wrote;
        len -= (size_t)wrote;
    }
    return true;
}

static bool read_whole(int fd, void *to, size_t len)
{
    char *p = to;

    while (len > 0) {
        ssize_t got = read(fd, p, len);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        p += got;
        len -= (size_t)got;
    }
    return true;
}

/* ---- the process ---- */

typedef struct station {
    char *const *argv;
    int from;
    lk_children children;
} station;

static void reap(station *s)
{
    int failed;

    lk_children_reap(&s->children, &failed);
    if (failed)
        (void)lk_complain(0, "--exec: '%s' ended with status %d", s->argv[0], failed);
}

static void start(station *s, char *order, size_t len)
{
    const char *texts[VARIABLES_MAX + 2];
    size_t count = 0;
    lk_err e = { 0 };

    for (char *p = order; p < order + len && count <= VARIABLES_MAX; p += strlen(p) + 1)
        texts[count++] = p;
    texts[count] = NULL;
    if (count && lk_child_start(&s->children, s->argv, texts[0], texts + 1, &e) != LK_OK)
        (void)lk_complain_of(&e);
}

/* False: there will be no other. */
static bool take_order(station *s)
{
    uint32_t len;
    char *order;
    bool is_whole;

    if (!read_whole(s->from, &len, sizeof(len)) || len == 0 || len > ORDER_MAX)
        return false;
    order = malloc(len);
    if (!order) {
        (void)lk_complain(0, "--exec: out of memory: no memory for an alert");
        return false;
    }
    is_whole = read_whole(s->from, order, len) && order[len - 1] == '\0';
    if (is_whole)
        start(s, order, len);
    free(order);
    return is_whole;
}

static void serve(station *s)
{
    struct pollfd wait = { .fd = s->from, .events = POLLIN };

    for (;;) {
        const int ready = poll(&wait, 1, s->children.count ? LOOK_MS : -1);

        reap(s);
        if (ready > 0 && !take_order(s))
            break;
    }
    for (int i = 0; i < LINGER && s->children.count && !lk_interrupt_seen(); i++) {
        (void)nanosleep(&(struct timespec){ .tv_nsec = LOOK_MS * 1000000L }, NULL);
        reap(s);
    }
}

/* Nobody waits for this process's end of a pipe that is the program's output. */
static void let_go_of_output(void)
{
    const int null = open("/dev/null", O_RDWR);

    if (null < 0)
        return;
    (void)dup2(null, STDIN_FILENO);
    (void)dup2(null, STDOUT_FILENO);
    if (null > STDERR_FILENO)
        (void)close(null);
}

/* ---- who asks ---- */

lk_code lk_launcher_open(lk_launcher *l, char *const *argv, lk_err *e)
{
    int ends[2];
    pid_t pid;

    if (pipe(ends) != 0)
        return lk_fail(e, LK_EIO, "--exec: %s", strerror(errno));
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    pid = fork();
    if (pid == 0) {
        station s = { .argv = argv, .from = ends[0] };

        (void)close(ends[1]);
        lk_interrupt_catch();
        let_go_of_output();
        serve(&s);
        _exit(0);
    }
    (void)close(ends[0]);
    if (pid < 0) {
        (void)close(ends[1]);
        return lk_fail(e, LK_EIO, "--exec: %s", strerror(errno));
    }
    *l = (lk_launcher){ ends[1], pid };
    return LK_OK;
}

lk_code lk_launcher_start(lk_launcher *l, const char *input, const char *const *variables,
                          lk_err *e)
{
    bool is_sent;
    uint32_t len;
    lk_buf order;

    lk_buf_init(&order);
    lk_buf_add(&order, input, strlen(input) + 1);
    for (; *variables; variables++)
        lk_buf_add(&order, *variables, strlen(*variables) + 1);
    if (order.failed || order.len > ORDER_MAX) {
        lk_buf_release(&order);
        return lk_fail(e, LK_EOOM, "no memory for an alert to '--exec'");
    }
    len = (uint32_t)order.len;
    is_sent = write_whole(l->to, &len, sizeof(len)) && write_whole(l->to, order.p, order.len);
    lk_buf_release(&order);
    return is_sent ? LK_OK
                   : lk_fail(e, LK_EIO, "--exec: the process that starts it is gone: %s",
                             strerror(errno));
}

void lk_launcher_close(lk_launcher *l)
{
    if (l->to < 0)
        return;
    (void)close(l->to);
    l->to = -1;
    while (!lk_interrupt_seen() && waitpid(l->pid, NULL, 0) < 0 && errno == EINTR)
        ;
}
