#include "base/pages.h"
#include "cli/cmd.h"
#include "cli/interrupt.h"
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

typedef struct options {
    bool help, version;
} options;

const lk_opt LK_GLOBAL_OPTS[] = {
    { "help", NULL, 'h', LK_OPT_FLAG, offsetof(options, help), NULL, "show this help" },
    { "version", NULL, 'V', LK_OPT_FLAG, offsetof(options, version), NULL,
      "show the version, and those of the libraries" },
    { .kind = LK_OPT_END },
};

/* A log must not be opened as descriptor 0, 1 or 2: what is closed is filled, the wrong way round,
 * so that its use still fails. */
static void fill_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

static int run_options(char **argv, lk_buf *out)
{
    options o = { false, false };
    lk_err e = { 0 };
    int first;

    if (lk_opt_parse(LK_GLOBAL_OPTS, 2, argv, &o, &first, &e) != LK_OK)
        return lk_complain_of(&e);
    if (o.help)
        lk_help_general(out);
    else if (o.version)
        lk_help_version(out);
    else
        return lk_complain(2, "no command given; 'lockstep help' lists the commands");
    return 0;
}

static int run(int argc, char **argv, lk_buf *out)
{
    const lk_cmd *cmd;

    if (argc < 2)
        return lk_complain(2, "no command given; 'lockstep help' lists the commands");
    if (argv[1][0] == '-' && argv[1][1] != '\0')
        return run_options(argv, out);
    cmd = lk_cmd_find(argv[1]);
    if (!cmd)
        return lk_cmd_unknown(argv[1]);
    return cmd->run(argc - 1, argv + 1, out);
}

static int finish(const lk_buf *out, int status)
{
    lk_err e = { 0 };

    if (out->failed)
        return lk_complain(3, "out of memory: no memory for what is to be printed");
    if (lk_output_stdout(out->p, out->len, &e) != LK_OK)
        return lk_complain_of(&e);
    return status;
}

int main(int argc, char **argv)
{
    lk_buf out;
    int status;

    lk_pages_prefer_large();
    fill_standard_descriptors();
    (void)signal(SIGPIPE, SIG_IGN); /* a reader that has gone away is seen by write() */
    lk_interrupt_tidy();
    lk_buf_init(&out);
    status = finish(&out, run(argc, argv, &out));
    lk_buf_release(&out);
    return status;
}
