/* The whole analysis of a gzipped combined log beside `zcat FILE | wc -l` on the same file, in turns.
 *
 * usage: bench_analyze [LINES]    (default 1,000,000; the log is made anew in TMPDIR)
 * Prints a header and one TSV row: seconds of CPU (user and system) as medians of the rounds, their
 * ratio, and the analysis' peak memory.  The machine's noise hits both sides alike.  */
#include "base/random.h"
#include "lockstep/lockstep.h"

#include <zlib.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 5, CLIENTS = 200000, TARGETS = 1500 };

static const char *const AGENTS[] = {
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/126.0.0.0 Safari/537.36",
    "Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0",
    "okhttp/4.12.0", "python-requests/2.31.0", "curl/7.88.1", "Go-http-client/1.1",
};

/* One in fifty lines fails; a failed client comes back 12 s later, once. */
static void write_log(gzFile out, unsigned long lines)
{
    lk_random r;
    char text[512];

    lk_random_init(&r, 1);
    for (unsigned long i = 0; i < lines; i++) {
        uint64_t u = lk_random_u64(&r), client = lk_random_u64(&r) % CLIENTS;
        unsigned long at = i / 60;
        int len = snprintf(text, sizeof(text),
                           "10.%u.%u.%u - - [15/Jul/2025:%02lu:%02lu:%02lu +0000] "
                           "\"GET /v1/items/%u?page=%u HTTP/1.1\" %d %u \"-\" \"%s\"\n",
                           (unsigned)(client >> 16), (unsigned)(client >> 8 & 255),
                           (unsigned)(client & 255), at / 3600 % 24, at / 60 % 60, at % 60,
                           (unsigned)(u % TARGETS), (unsigned)(u >> 20 & 63),
                           u % 50 == 7 ? 503 : 200, (unsigned)(u >> 30 & 0xffff),
                           AGENTS[u >> 50 & 3]);

        if (gzwrite(out, text, (unsigned)len) != len)
            exit(1);
    }
}

static double cpu_seconds(void)
{
    struct rusage u;

    (void)getrusage(RUSAGE_CHILDREN, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static int analyze(const char *path)
{
    const char *const files[] = { path };
    lockstep_options o = LOCKSTEP_OPTIONS_INIT;
    lockstep_report *report;
    lockstep_error error;
    int status;

    o.files = files;
    o.file_count = 1;
    status = lockstep_analyze(&o, &report, &error);
    lockstep_report_free(report);
    return status;
}

static int peer(const char *path)
{
    char command[512];

    (void)snprintf(command, sizeof(command), "zcat '%s' | wc -l >/dev/null", path);
    return system(command) == 0 ? 0 : 1;
}

/* CPU seconds of `work` in a process of its own. */
static double timed(int (*work)(const char *path), const char *path)
{
    double before = cpu_seconds();
    pid_t child = fork();
    int status = 1;

    if (child == 0)
        _exit(work(path));
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        (void)fprintf(stderr, "bench_analyze: a run failed\n");
        exit(1);
    }
    return cpu_seconds() - before;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    unsigned long lines = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
    const char *folder = getenv("TMPDIR");
    char path[256];
    double ours[ROUNDS], theirs[ROUNDS];
    struct rusage peak;
    gzFile log;
    int fd;

    (void)snprintf(path, sizeof(path), "%s/lockstep-bench-XXXXXX", folder ? folder : "/tmp");
    fd = mkstemp(path);
    log = fd >= 0 ? gzdopen(fd, "wb6") : NULL;
    if (!log)
        return 1;
    write_log(log, lines);
    if (gzclose(log) != Z_OK)
        return 1;
    for (int i = 0; i < ROUNDS; i++) {
        ours[i] = timed(analyze, path);
        theirs[i] = timed(peer, path);
    }
    (void)getrusage(RUSAGE_CHILDREN, &peak);
    (void)unlink(path);
    qsort(ours, ROUNDS, sizeof(*ours), by_value);
    qsort(theirs, ROUNDS, sizeof(*theirs), by_value);
    (void)printf("benchmark\tlines\tcpu_s\tzcat_wc_cpu_s\tratio\tpeak_kib\n");
    (void)printf("analyze_combined_gzip\t%lu\t%.3f\t%.3f\t%.2f\t%ld\n", lines, ours[ROUNDS / 2],
                 theirs[ROUNDS / 2], ours[ROUNDS / 2] / theirs[ROUNDS / 2], peak.ru_maxrss);
    return 0;
}
