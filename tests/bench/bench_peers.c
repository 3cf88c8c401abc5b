/* The whole analysis beside what others do with the same logs, in turns: combined, combined with
 * durations and ids, and JSON lines, gzip -6.
 *
 * usage: bench_peers [LINES [ROUNDS]]    (default 500,000 and 3; LOCKSTEP names the program, LOCKSTEP_ZLIB one
 *        that was built with HAVE_ISAL= , TMPDIR the place)
 * Prints one table: medians of CPU and wall, as ratios to `zcat FILE >/dev/null` of the same rounds, lines a
 * second and peak memory; of slow peers on a tenth of the lines, beside the same on those; then the growth
 * from an eighth of the lines to all, in as much more time and in the same; then events of the simulator.  A peer that is not installed is skipped with a line that says so.
 * The logs are seeded: the same bytes on every machine.
 * DuckDB is asked through `npm install @duckdb/node-api` in the folder that NODE_PATH names.  */
#include "made_log.h"

#include "sim/contention.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS_MAX = 15, PATH_MAX_LEN = 256, SMALL = 10 /* times fewer lines */ };

/* ---- the runs ---- */

typedef struct cost {
    double cpu_s, wall_s;
    long peak_kib;
    int status;
} cost;

static double now_s(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* In a process of its own, whose children are this run's alone. */
static void measure(const char *command, int to)
{
    double before = now_s();
    cost c = { .status = system(command) };
    struct rusage u;

    c.wall_s = now_s() - before;
    (void)getrusage(RUSAGE_CHILDREN, &u);
    c.cpu_s = (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
              1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
    c.peak_kib = u.ru_maxrss;
    if (write(to, &c, sizeof(c)) != (ssize_t)sizeof(c))
        _exit(1);
}

static cost run(const char *command)
{
    cost c = { .status = 1 };
    int ends[2];
    pid_t child;

    (void)fflush(NULL);
    if (pipe(ends) != 0)
        exit(1);
    child = fork();
    if (child == 0) {
        measure(command, ends[1]);
        _exit(0);
    }
    (void)close(ends[1]);
    if (read(ends[0], &c, sizeof(c)) != (ssize_t)sizeof(c) || c.status != 0)
        (void)fprintf(stderr, "bench_peers: failed: %s\n", command);
    (void)close(ends[0]);
    (void)waitpid(child, NULL, 0);
    return c;
}

#define DUCKDB                                                                                             \
    "node -e \"const d=require('@duckdb/node-api');(async()=>{const c=await(await d.DuckDBInstance.create(':memory:'," \
    "{threads:'2'})).connect();await c.runAndReadAll('select time,status,count(*) from read_json(\\047'+process.env.F+" \
    "'\\047,format=\\047newline_delimited\\047,compression=\\047gzip\\047,columns={time:\\047VARCHAR\\047,status:\\047INT\\047})" \
    " group by all')})()\" >/dev/null"

/* $L the program, $Z the one with zlib alone, $F the log.  The first is what the others are compared with. */
static const struct peer {
    const char *name, *needs, *command; /* needs: a command that succeeds where the peer is there */
    const char *set; /* NULL = every one */
    bool is_slow;    /* on a log of fewer lines */
} PEERS[] = {
    { "zcat >/dev/null", "command -v zcat", "zcat $F >/dev/null", NULL, false },
    { "lockstep -j1", NULL, "$L analyze -q -j1 $F >/dev/null", NULL, false },
    { "lockstep -j2", NULL, "$L analyze -q -j2 $F >/dev/null", NULL, false },
    { "lockstep -j1, built with zlib", "test -x $Z", "$Z analyze -q -j1 $F >/dev/null", NULL, false },
    { "lockstep -j2, built with zlib", "test -x $Z", "$Z analyze -q -j2 $F >/dev/null", NULL, false },
    { "zcat to wc -l", "command -v zcat", "zcat $F | wc -l >/dev/null", NULL, false },
    { "pigz -dc", "command -v pigz", "pigz -dc $F >/dev/null", NULL, false },
    { "igzip -dc", "command -v igzip", "igzip -dc $F >/dev/null", NULL, false },
    { "zcat to mawk, per second and status", "command -v mawk",
      "zcat $F | mawk '{ n[$4 $9]++ } END { for (k in n) print k, n[k] }' >/dev/null", "combined", false },
    { "DuckDB, per time and status", "node -e \"require('@duckdb/node-api')\"", DUCKDB, "json", false },
    { "goaccess", "command -v goaccess",
      "zcat $F | goaccess - --log-format=COMBINED --no-global-config -o $F.json >/dev/null 2>&1 && rm $F.json",
      "combined", true },
    { "mlr count-distinct", "command -v mlr",
      "zcat $F | mlr --inidx --ifs ' ' --repifs count-distinct -f 4,9 >/dev/null", "combined", true },
};
enum { PEER_COUNT = sizeof(PEERS) / sizeof(PEERS[0]), OURS = 1 /* run beside the slow ones, too */ };

static bool is_there(const char *needs)
{
    char command[128];

    if (!needs)
        return true;
    (void)snprintf(command, sizeof(command), "%s >/dev/null 2>&1", needs);
    return system(command) == 0;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(const double *x, int n)
{
    double sorted[ROUNDS_MAX];

    memcpy(sorted, x, (size_t)n * sizeof(*x));
    qsort(sorted, (size_t)n, sizeof(*sorted), by_value);
    return sorted[n / 2];
}

static bool is_for(size_t peer, const struct set *set, bool slow)
{
    const struct peer *p = &PEERS[peer];

    if (p->set && strcmp(p->set, set->name) != 0)
        return false;
    return slow ? p->is_slow || peer <= OURS : !p->is_slow;
}

/* Ratios are of the same round, whose noise both have. */
static void compare(const struct set *set, unsigned long lines, int rounds, bool slow, const bool *there)
{
    static double cpu[PEER_COUNT][ROUNDS_MAX], wall[PEER_COUNT][ROUNDS_MAX];
    static double of_cpu[PEER_COUNT][ROUNDS_MAX], of_wall[PEER_COUNT][ROUNDS_MAX];
    long peak[PEER_COUNT] = { 0 };
    bool failed[PEER_COUNT] = { false };

    for (int r = 0; r < rounds; r++)
        for (size_t i = 0; i < PEER_COUNT; i++) {
            cost c;

            if (!there[i] || !is_for(i, set, slow))
                continue;
            c = run(PEERS[i].command);
            failed[i] |= c.status != 0;
            cpu[i][r] = c.cpu_s;
            wall[i][r] = c.wall_s;
            of_cpu[i][r] = c.cpu_s / cpu[0][r];
            of_wall[i][r] = c.wall_s / wall[0][r];
            peak[i] = c.peak_kib > peak[i] ? c.peak_kib : peak[i];
        }
    for (size_t i = 0; i < PEER_COUNT; i++)
        if (there[i] && failed[i])
            (void)printf("| %s | %lu | %s | failed | | | | | | |\n", set->name, lines, PEERS[i].name);
        else if (there[i] && is_for(i, set, slow))
            (void)printf("| %s | %lu | %s | %.2f | %.2f | %.2f | %.2f | %.0f | %.2f | %ld |\n", set->name,
                         lines, PEERS[i].name, median(cpu[i], rounds), median(of_cpu[i], rounds),
                         median(wall[i], rounds), median(of_wall[i], rounds),
                         1e9 * median(cpu[i], rounds) / (double)lines,
                         1e-6 * (double)lines / median(wall[i], rounds), peak[i] / 1024);
}

/* How the analysis of `lines` at `rate` a second does, in a row. */
static void measure_size(unsigned long lines, unsigned rate, const char *path)
{
    cost c;

    write_log(&SETS[0], lines, rate, path);
    c = run("$L analyze -q -j1 $F >/dev/null");
    (void)printf("| %lu | %.1f | %.2f | %.0f | %ld |\n", lines, (double)lines / rate / 3600, c.cpu_s,
                 1e9 * c.cpu_s / (double)lines, c.peak_kib / 1024);
}

/* Once and twice, four, eight times the lines: in as much more time, then in the same. */
static void grow(unsigned long lines, const char *path)
{
    (void)printf("\n| lines | hours | CPU s | ns of CPU a line | peak MiB |\n|---|---|---|---|---|\n");
    for (unsigned by = 1; by <= 8; by *= 2)
        measure_size(lines / 8 * by, RATE, path);
    for (unsigned by = 1; by <= 8; by *= 2)
        measure_size(lines / 8 * by, RATE * by, path);
}

/* Clients that spoil each other's attempts, a start and an end each: bench_simulate has more such. */
static void simulate(int rounds)
{
    const lk_policy_params params = { 1, 2, 1000, 0.1, 0 };
    lk_contention_options o = LK_CONTENTION_INIT;
    double rate[ROUNDS_MAX];
    lk_contention_result result;
    lk_contention *c;
    lk_err e = { 0 };
    lk_sampler s;

    lk_sampler_init(&s, lk_policy_find("full-jitter"), &params);
    o.conflict = LK_CONFLICT_FREE;
    o.policy = &s;
    o.burst = 0;
    o.rate = 0.8;
    o.horizon = 400000;
    if (lk_contention_open(&c, &e) != LK_OK)
        return;
    for (int i = 0; i < rounds; i++) {
        const clock_t before = clock();

        if (lk_contention_run(c, &o, 1, (uint64_t)i, &result, &e) != LK_OK)
            return;
        rate[i] = 2e-6 * (double)result.attempts * CLOCKS_PER_SEC / (double)(clock() - before);
    }
    (void)printf("\n| simulator | million events/s of CPU |\n|---|---|\n| full jitter, steady load of 0.8 | %.1f |\n",
                 median(rate, rounds));
    lk_contention_close(c);
}

int main(int argc, char **argv)
{
    unsigned long lines = argc > 1 ? strtoul(argv[1], NULL, 10) : 500000;
    int rounds = argc > 2 ? atoi(argv[2]) : 3;
    const char *folder = getenv("TMPDIR"), *program = getenv("LOCKSTEP"), *zlib = getenv("LOCKSTEP_ZLIB");
    char path[PATH_MAX_LEN];
    bool there[PEER_COUNT];

    rounds = rounds < 1 ? 1 : rounds > ROUNDS_MAX ? ROUNDS_MAX : rounds;
    (void)snprintf(path, sizeof(path), "%s/lockstep-bench-%ld.log.gz", folder ? folder : "/tmp",
                   (long)getpid());
    if (setenv("F", path, 1) != 0 ||
        setenv("L", program ? program : "build/release/lockstep", 1) != 0 ||
        setenv("Z", zlib ? zlib : "build/zlib/release/lockstep", 1) != 0)
        return 1;
    for (size_t i = 0; i < PEER_COUNT; i++)
        if (!(there[i] = is_there(PEERS[i].needs)))
            (void)printf("skipped, not installed: %s (%s)\n", PEERS[i].name, PEERS[i].needs);
    (void)printf("\n%lu lines a set, medians of %d rounds in turns\n\n", lines, rounds);
    (void)printf("| set | lines | what | CPU s | / zcat | wall s | / zcat | ns of CPU a line | million lines/s | "
                 "peak MiB |\n|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t s = 0; s < SET_COUNT; s++) {
        write_log(&SETS[s], lines, RATE, path);
        compare(&SETS[s], lines, rounds, false, there);
    }
    write_log(&SETS[0], lines / SMALL, RATE, path);
    compare(&SETS[0], lines / SMALL, rounds, true, there);
    grow(lines, path);
    simulate(rounds);
    (void)unlink(path);
    return 0;
}
