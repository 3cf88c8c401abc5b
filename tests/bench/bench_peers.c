/* The whole analysis beside what others do with the same logs, in turns: combined, combined with
 * durations and ids, and JSON lines, gzip -6.
 *
 * usage: bench_peers [LINES [ROUNDS]]    (default 500,000 and 3; LOCKSTEP names the program, TMPDIR the place)
 * Prints one table: medians of CPU and wall, as ratios to `zcat FILE >/dev/null` of the same rounds, and
 * peak memory; then the growth from an eighth of the lines to all.  A peer that is not installed is
 * skipped with a line that says so.  The logs are seeded: the same bytes on every machine.  */
#include "base/random.h"

#include <zlib.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS_MAX = 15, CLIENTS = 200000, TARGETS = 1500, PATH_MAX_LEN = 256, RATE = 70 };

/* ---- the logs ---- */

static const char *const AGENTS[] = {
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
    "Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15",
    "okhttp/4.12.0", "python-requests/2.31.0", "curl/7.88.1", "Go-http-client/1.1",
    "aws-sdk-go-v2/1.30.3 os/linux lang/go#1.22.5 md/GOOS#linux md/GOARCH#amd64",
};

struct request {
    unsigned long at_ms, took_ms;
    unsigned client, target, page, status, bytes, attempt;
    const char *agent;
    uint64_t id;
};

/* Callers and targets with a long tail; one in fifty fails, and fails with the id of its call. */
static struct request draw(lk_random *r, unsigned long i)
{
    uint64_t u = lk_random_u64(r), v = lk_random_u64(r);
    unsigned narrow = (unsigned)(u >> 58 & 7);
    struct request q = { .at_ms = i * 1000 / RATE, .took_ms = (unsigned)(v & 255) + 3 };

    q.client = (unsigned)(u % CLIENTS) >> (2 * narrow);
    q.target = (unsigned)(u >> 20) % TARGETS >> narrow;
    q.page = (unsigned)(v >> 8 & 63);
    q.status = v >> 16 & 1023 ? 200 : 503;
    q.bytes = (unsigned)(v >> 26 & 0xffff);
    q.attempt = q.status == 503 ? 1 + (unsigned)(v >> 42 & 1) : 1;
    q.agent = AGENTS[q.client % (sizeof(AGENTS) / sizeof(AGENTS[0]))];
    q.id = lk_random_u64(r);
    return q;
}

static int put_combined(const struct request *q, char *to, size_t max)
{
    unsigned long s = q->at_ms / 1000;

    return snprintf(to, max,
                    "10.%u.%u.%u - - [%02lu/Jul/2025:%02lu:%02lu:%02lu +0000] \"GET /v1/items/%u/parts?page=%u "
                    "HTTP/1.1\" %u %u \"https://shop.example.com/items/%u\" \"%s\"",
                    q->client >> 16, q->client >> 8 & 255, q->client & 255, 1 + s / 86400 % 31,
                    s / 3600 % 24, s / 60 % 60, s % 60, q->target, q->page, q->status, q->bytes,
                    q->target, q->agent);
}

static int put_ext(const struct request *q, char *to, size_t max)
{
    int n = put_combined(q, to, max);

    return n + snprintf(to + n, max - (size_t)n, " %lu.%03lu \"%016llx\" \"attempt=%u; max=3\"",
                        q->took_ms / 1000, q->took_ms % 1000, (unsigned long long)q->id, q->attempt);
}

static int put_json(const struct request *q, char *to, size_t max)
{
    unsigned long s = q->at_ms / 1000;

    return snprintf(to, max,
                    "{\"time\":\"2025-07-%02luT%02lu:%02lu:%02lu.%03lu+00:00\",\"remote_addr\":\"10.%u.%u.%u\","
                    "\"method\":\"GET\",\"uri\":\"/v1/items/%u/parts\",\"protocol\":\"HTTP/1.1\",\"status\":%u,"
                    "\"bytes_sent\":%u,\"request_time\":%lu.%03lu,\"referer\":\"-\",\"user_agent\":\"%s\","
                    "\"request_id\":\"%016llx\"}",
                    1 + s / 86400 % 31, s / 3600 % 24, s / 60 % 60, s % 60, q->at_ms % 1000,
                    q->client >> 16, q->client >> 8 & 255, q->client & 255, q->target, q->status,
                    q->bytes, q->took_ms / 1000, q->took_ms % 1000, q->agent,
                    (unsigned long long)q->id);
}

static const struct set {
    const char *name;
    int (*put)(const struct request *q, char *to, size_t max);
} SETS[] = { { "combined", put_combined }, { "ext", put_ext }, { "json", put_json } };
enum { SET_COUNT = sizeof(SETS) / sizeof(SETS[0]) };

static void write_log(const struct set *set, unsigned long lines, const char *path)
{
    gzFile out = gzopen(path, "wb6");
    char text[1024];
    lk_random r;

    lk_random_init(&r, 1);
    for (unsigned long i = 0; out && i < lines; i++) {
        struct request q = draw(&r, i);
        int len = set->put(&q, text, sizeof(text) - 1);

        text[len++] = '\n';
        if (gzwrite(out, text, (unsigned)len) != len)
            exit(1);
    }
    if (!out || gzclose(out) != Z_OK)
        exit(1);
}

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

/* $L the program, $F the log. */
static const struct peer {
    const char *name, *needs, *command;
    const char *set; /* NULL = every one */
} PEERS[] = {
    { "zcat >/dev/null", "zcat", "zcat $F >/dev/null", NULL },
    { "lockstep -j1", NULL, "$L analyze -q -j1 $F >/dev/null", NULL },
    { "lockstep -j2", NULL, "$L analyze -q -j2 $F >/dev/null", NULL },
    { "lockstep -j1, zlib (from a pipe)", NULL, "cat $F | $L analyze -q -j1 - >/dev/null", NULL },
    { "zcat | wc -l", "zcat", "zcat $F | wc -l >/dev/null", NULL },
    { "pigz -dc", "pigz", "pigz -dc $F >/dev/null", NULL },
    { "igzip -dc", "igzip", "igzip -dc $F >/dev/null", NULL },
    { "zcat | mawk, per second and status", "mawk",
      "zcat $F | mawk '{ n[$4 $9]++ } END { for (k in n) print k, n[k] }' >/dev/null", "combined" },
    { "goaccess", "goaccess", "zcat $F | goaccess - --log-format=COMBINED -o $F.json >/dev/null 2>&1 && rm $F.json", "combined" },
    { "mlr count-distinct", "mlr",
      "zcat $F | mlr --inidx --ifs ' ' --repifs count-distinct -f 4,9 >/dev/null", "combined" },
    { "duckdb", "duckdb",
      "duckdb -c \"select substr(time, 1, 19) s, status, count(*) from read_json('$F', "
      "format='newline_delimited', compression='gzip') group by s, status\" >/dev/null", "json" },
};
enum { PEER_COUNT = sizeof(PEERS) / sizeof(PEERS[0]) };

static bool is_there(const char *program)
{
    char command[128];

    if (!program)
        return true;
    (void)snprintf(command, sizeof(command), "command -v %s >/dev/null 2>&1", program);
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

static bool is_for(const struct peer *p, const struct set *set)
{
    return !p->set || strcmp(p->set, set->name) == 0;
}

/* Ratios are of the same round, whose noise both have. */
static void compare(const struct set *set, unsigned long lines, int rounds, const bool *there)
{
    static double cpu[PEER_COUNT][ROUNDS_MAX], wall[PEER_COUNT][ROUNDS_MAX];
    static double of_cpu[PEER_COUNT][ROUNDS_MAX], of_wall[PEER_COUNT][ROUNDS_MAX];
    long peak[PEER_COUNT] = { 0 };
    bool failed[PEER_COUNT] = { false };

    for (int r = 0; r < rounds; r++)
        for (size_t i = 0; i < PEER_COUNT; i++) {
            cost c;

            if (!there[i] || !is_for(&PEERS[i], set))
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
            (void)printf("| %s | %s | failed | | | | | |\n", set->name, PEERS[i].name);
        else if (there[i] && is_for(&PEERS[i], set))
            (void)printf("| %s | %s | %.2f | %.2f | %.2f | %.2f | %.0f | %ld |\n", set->name,
                         PEERS[i].name, median(cpu[i], rounds), median(of_cpu[i], rounds),
                         median(wall[i], rounds), median(of_wall[i], rounds),
                         1e9 * median(cpu[i], rounds) / (double)lines, peak[i] / 1024);
}

static void grow(unsigned long lines, const char *path)
{
    (void)printf("\n| lines | CPU s | peak MiB |\n|---|---|---|\n");
    for (unsigned long part = lines / 8; part > 0 && part <= lines; part *= 2) {
        cost c;

        write_log(&SETS[0], part, path);
        c = run("$L analyze -q -j1 $F >/dev/null");
        (void)printf("| %lu | %.2f | %ld |\n", part, c.cpu_s, c.peak_kib / 1024);
    }
}

int main(int argc, char **argv)
{
    unsigned long lines = argc > 1 ? strtoul(argv[1], NULL, 10) : 500000;
    int rounds = argc > 2 ? atoi(argv[2]) : 3;
    const char *folder = getenv("TMPDIR"), *program = getenv("LOCKSTEP");
    char path[PATH_MAX_LEN];
    bool there[PEER_COUNT];

    rounds = rounds < 1 ? 1 : rounds > ROUNDS_MAX ? ROUNDS_MAX : rounds;
    (void)snprintf(path, sizeof(path), "%s/lockstep-bench-%ld.log.gz", folder ? folder : "/tmp",
                   (long)getpid());
    if (setenv("F", path, 1) != 0 ||
        setenv("L", program ? program : "build/release/lockstep", 1) != 0)
        return 1;
    for (size_t i = 0; i < PEER_COUNT; i++)
        if (!(there[i] = is_there(PEERS[i].needs)))
            (void)printf("skipped, not installed: %s\n", PEERS[i].needs);
    (void)printf("\n%lu lines a set, medians of %d rounds in turns\n\n", lines, rounds);
    (void)printf("| set | what | CPU s | / zcat | wall s | / zcat | ns of CPU a line | peak MiB |\n"
                 "|---|---|---|---|---|---|---|---|\n");
    for (size_t s = 0; s < SET_COUNT; s++) {
        write_log(&SETS[s], lines, path);
        compare(&SETS[s], lines, rounds, there);
    }
    grow(lines, path);
    (void)unlink(path);
    return 0;
}
