/* Hostile inputs streamed into the program: its peak memory and its speed beside a normal log's.
 *
 * usage: bench_hostile [MIB [KIND]]       a TSV row a kind, MIB (default 64) of each through a pipe
 *        bench_hostile --write KIND MIB   so much of that kind to standard output
 *        bench_hostile --lines KIND N     so many lines of it
 *        bench_hostile --peak KIND N      the program's peak memory in KiB over so many lines
 *
 * What is run is $LOCKSTEP with $BENCH_OPTIONS (words) behind `analyze -q -o /dev/null`.  speed: CPU
 * seconds a MiB of the normal log over those of the kind.  */
#define _DEFAULT_SOURCE /* wait4: POSIX has no peak memory of one child */
#include "base/random.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { START = 1752570000 };

typedef struct writer {
    lk_random random;
    uint64_t line;
    int64_t at_ms;    /* since START                    */
    const char *unit; /* what a line is made of; or NULL */
} writer;

typedef struct kind {
    const char *name, *what;
    int (*write)(writer *w, char *text, size_t size);
    const char *pack; /* a command that packs the stream; NULL = none */
    const char *unit; /* the writer's                                 */
} kind;

static const char *stamp(int64_t at_s, char out[64])
{
    time_t t = (time_t)(START + at_s);
    struct tm tm;

    (void)gmtime_r(&t, &tm);
    (void)strftime(out, 64, "%d/%b/%Y:%H:%M:%S +0000", &tm);
    return out;
}

/* A combined line; agent and target as given. */
static int combined(writer *w, char *text, size_t size, uint32_t caller, const char *target,
                    unsigned status, const char *agent)
{
    char at[64];

    return snprintf(text, size,
                    "%u.%u.%u.%u - - [%s] \"GET %s HTTP/1.1\" %u 612 \"-\" \"%s\"\n", caller >> 24,
                    caller >> 16 & 255, caller >> 8 & 255, caller & 255, stamp(w->at_ms / 1000, at),
                    target, status, agent);
}

static const char AGENT[] = "python-requests/2.31.0";

/* 20,000 callers, one line in 64 fails. */
static int write_normal(writer *w, char *text, size_t size)
{
    uint64_t u = lk_random_u64(&w->random);
    char target[64];

    w->at_ms += 2;
    (void)snprintf(target, sizeof(target), "/v1/items/%u", (unsigned)(u % 1500));
    return combined(w, text, size, 0x0a000000 + (uint32_t)(u >> 20) % 20000, target,
                    u >> 40 & 63 ? 200 : 503, AGENT);
}

static int write_callers(writer *w, char *text, size_t size)
{
    w->at_ms += 1;
    return combined(w, text, size, (uint32_t)w->line * 2654435761U, "/", 200, AGENT);
}

static int write_failures(writer *w, char *text, size_t size)
{
    w->at_ms += 1;
    return combined(w, text, size, (uint32_t)w->line * 2654435761U, "/", 503, AGENT);
}

static int write_targets(writer *w, char *text, size_t size)
{
    char target[64];

    w->at_ms += 1;
    (void)snprintf(target, sizeof(target), "/%016" PRIx64, lk_random_u64(&w->random));
    return combined(w, text, size, 0x0a000001 + (uint32_t)w->line % 1000, target,
                    w->line % 8 ? 200 : 503, AGENT);
}

static int write_agents(writer *w, char *text, size_t size)
{
    char agent[64];

    w->at_ms += 1;
    (void)snprintf(agent, sizeof(agent), "agent-%016" PRIx64 "/1.0", lk_random_u64(&w->random));
    return combined(w, text, size, 0x0a000001 + (uint32_t)w->line % 1000, "/",
                    w->line % 8 ? 200 : 503, agent);
}

/* All at once: no two lines share anything. */
static int write_all_new(writer *w, char *text, size_t size)
{
    char agent[64], target[64];
    uint64_t u = lk_random_u64(&w->random);

    w->at_ms += (int64_t)(u % 3);
    (void)snprintf(agent, sizeof(agent), "agent-%016" PRIx64 "/1.0", u);
    (void)snprintf(target, sizeof(target), "/%016" PRIx64, u * 3);
    return combined(w, text, size, (uint32_t)(u >> 32), target, 500 + (unsigned)(u % 9), agent);
}

static int write_ids(writer *w, char *text, size_t size)
{
    w->at_ms += 1;
    return snprintf(text, size,
                    "{\"ts\":%" PRId64 ".%03d,\"client\":\"10.%u.%u.%u\",\"method\":\"GET\",\"path\":\"/\","
                    "\"status\":503,\"request_id\":\"%016" PRIx64 "\",\"attempt\":1}\n",
                    START + w->at_ms / 1000, (int)(w->at_ms % 1000),
                    (unsigned)(w->line >> 16 & 255), (unsigned)(w->line >> 8 & 255),
                    (unsigned)(w->line & 255), lk_random_u64(&w->random));
}

/* Requests that differ in what is said of them: most of what a record of map can be. */
static int write_shapes(writer *w, char *text, size_t size)
{
    uint64_t u = lk_random_u64(&w->random);
    int n = snprintf(text, size,
                     "{\"ts\":%" PRId64 ".%03d,\"client\":\"10.0.0.%u\",\"method\":\"GET\",\"path\":\"/%u\","
                     "\"status\":%u",
                     START + w->at_ms / 1000, (int)(w->at_ms % 1000), (unsigned)(u & 255),
                     (unsigned)(u >> 8 & 0xffff), 100 + (unsigned)(u >> 24 & 511));

    w->at_ms += 1;
    if (u >> 33 & 1)
        n += snprintf(text + n, size - (size_t)n, ",\"request_id\":\"%u\"", (unsigned)(u >> 50 & 1023));
    if (u >> 34 & 1)
        n += snprintf(text + n, size - (size_t)n, ",\"trace_id\":\"%u\"", (unsigned)(u >> 52 & 511));
    if (u >> 35 & 1)
        n += snprintf(text + n, size - (size_t)n, ",\"attempt\":%u", 1 + (unsigned)(u >> 60));
    if (u >> 36 & 1)
        n += snprintf(text + n, size - (size_t)n, ",\"max_attempts\":9");
    if (u >> 37 & 3)
        n += snprintf(text + n, size - (size_t)n, ",\"duration_us\":%u", u >> 37 & 1 ? 1500U : 2000U);
    if (u >> 39 & 3)
        n += snprintf(text + n, size - (size_t)n, ",\"retry_after\":\"%s\"",
                      u >> 39 & 1 ? "2" : "Wed, 30 Jul 2025 12:00:00 GMT");
    return n + snprintf(text + n, size - (size_t)n, "}\n");
}

/* 30 years, a millisecond a bin would be 10^12 bins: a line each 100 s and some ms. */
static int write_decades(writer *w, char *text, size_t size)
{
    uint64_t u = lk_random_u64(&w->random);

    w->at_ms += 100000 + (int64_t)(u % 1000);
    if (w->at_ms > INT64_C(946728000000))
        w->at_ms -= INT64_C(946728000000);
    return snprintf(text, size,
                    "{\"ts\":%" PRId64 ".%03d,\"client\":\"10.0.%u.%u\",\"method\":\"GET\",\"path\":\"/\","
                    "\"status\":%d}\n",
                    (int64_t)946684800 + w->at_ms / 1000, (int)(w->at_ms % 1000),
                    (unsigned)(u >> 8 & 255), (unsigned)(u & 255), u % 7 ? 200 : 503);
}

/* Any year, month and day, in any order. */
static int write_years(writer *w, char *text, size_t size)
{
    static const char *const MONTHS[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
    uint64_t u = lk_random_u64(&w->random);

    return snprintf(text, size,
                    "10.0.0.%u - - [%02u/%s/%04u:%02u:%02u:%02u +0000] \"GET / HTTP/1.1\" 503 1 "
                    "\"-\" \"-\"\n",
                    (unsigned)(u & 255), (unsigned)(1 + (u >> 8) % 28), MONTHS[(u >> 16) % 12],
                    (unsigned)((u >> 24) % 10000), (unsigned)((u >> 40) % 24),
                    (unsigned)((u >> 48) % 60), (unsigned)((u >> 56) % 60));
}

static int write_endless(writer *w, char *text, size_t size)
{
    (void)w;
    memset(text, 'a', size - 1);
    text[size - 1] = '\0';
    return (int)size - 1;
}

static int write_noise(writer *w, char *text, size_t size)
{
    size_t n = 400;

    for (size_t i = 0; i < n && i + 8 < size; i += 8) {
        uint64_t u = lk_random_u64(&w->random);

        memcpy(text + i, &u, 8);
    }
    return (int)n;
}

static int write_newlines(writer *w, char *text, size_t size)
{
    (void)w;
    (void)size;
    memset(text, '\n', 400);
    return 400;
}

/* Lines of 60 kB that are requests. */
static int write_long(writer *w, char *text, size_t size)
{
    int n = combined(w, text, size, 0x0a000001 + (uint32_t)w->line % 1000, "/", 503, "a");

    w->at_ms += 100;
    memset(text + n - 2, 'x', 60000);
    memcpy(text + n - 2 + 60000, "\"\n", 2);
    return n + 60000;
}

/* A burst of the same callers every 7 s, for ever: waves without end. */
static int write_waves(writer *w, char *text, size_t size)
{
    w->at_ms = (int64_t)(w->line / 50) * 7000;
    return combined(w, text, size, 0x0a000001 + (uint32_t)w->line % 50, "/", 503, AGENT);
}

/* Most of a day in 40,000 lines: narrow bins are kept for so long, and looked through chapter by chapter. */
static int write_day(writer *w, char *text, size_t size)
{
    uint64_t u = lk_random_u64(&w->random);

    w->at_ms += (int64_t)(u % 3000);
    return combined(w, text, size, 0x0a000001 + (uint32_t)(u >> 20) % 3000, "/",
                    u >> 40 & 15 ? 200 : 503, AGENT);
}

static int write_backwards(writer *w, char *text, size_t size)
{
    w->at_ms -= 500;
    return combined(w, text, size, 0x0a000001 + (uint32_t)w->line % 1000, "/",
                    w->line % 4 ? 200 : 503, AGENT);
}

/* A JSON line nested as deep as it is long. */
static int write_deep(writer *w, char *text, size_t size)
{
    (void)w;
    (void)size;
    memset(text, '[', 30000);
    text[0] = '{';
    memcpy(text + 1, "\"a\":", 4);
    text[29999] = '\n';
    return 30000;
}

/* One text again and again: lines of 8,000 bytes that make a reader begin again at each of them. */
static int write_unit(writer *w, char *text, size_t size)
{
    enum { LEN = 8000 };
    size_t len = strlen(w->unit);

    (void)size;
    for (size_t i = 0; i < LEN; i++)
        text[i] = w->unit[i % len];
    text[LEN] = '\n';
    return LEN + 1;
}

/* A JSON line: the unit, numbered, in a list and in an object. */
static int write_wide(writer *w, char *text, size_t size)
{
    int n = snprintf(text, size, "{\"ts\":%" PRId64 ",\"list\":[", START + (int64_t)w->line);

    for (unsigned i = 0; i < 2000; i++)
        n += snprintf(text + n, size - (size_t)n, "%u,", i);
    n += snprintf(text + n, size - (size_t)n, "0],\"object\":{");
    for (unsigned i = 0; i < 2000; i++)
        n += snprintf(text + n, size - (size_t)n, "\"k%u\":%u,", i, i);
    return n + snprintf(text + n, size - (size_t)n,
                        "\"k\":0},\"client\":\"10.0.0.1\",\"method\":\"GET\",\"path\":\"/\",\"status\":503}\n");
}

/* Escapes in every field that may have them. */
static int write_escapes(writer *w, char *text, size_t size)
{
    char at[64], target[256], agent[256];
    uint64_t u = lk_random_u64(&w->random);

    w->at_ms += 1;
    for (size_t i = 0; i < 20; i++) {
        (void)snprintf(target + 6 * i, sizeof(target) - 6 * i, "%%%02x%%22", (unsigned)(u >> i & 255));
        (void)snprintf(agent + 6 * i, sizeof(agent) - 6 * i, "\\x%02x\\\"", (unsigned)(u >> i & 255));
    }
    return snprintf(text, size,
                    "10.0.0.%u - \\x22a\\x22 [%s] \"GET /%s%s HTTP/1.1\" 503 1 \"%s\" \"%s\"\n",
                    (unsigned)(u & 255), stamp(w->at_ms / 1000, at), target, agent, agent, agent);
}

/* A request in JSON in JSON, each time quoted once more. */
static int write_nested(writer *w, char *text, size_t size)
{
    static char inner[64 * 1024];
    int n = write_ids(w, inner, sizeof(inner)) - 1;

    for (int depth = 0; depth < 6; depth++) {
        int out = snprintf(text, size, "{\"log\":\"");

        for (int i = 0; i < n; i++) {
            if (inner[i] == '"' || inner[i] == '\\')
                text[out++] = '\\';
            text[out++] = inner[i];
        }
        out += snprintf(text + out, size - (size_t)out, "\"}");
        n = out;
        memcpy(inner, text, (size_t)n);
    }
    text[n] = '\n';
    return n + 1;
}

/* clang-format off */
static const kind KINDS[] = {
    { "normal",    "20,000 callers, 1,500 targets",             write_normal, NULL, NULL },
    { "callers",   "every line from another caller",            write_callers, NULL, NULL },
    { "failures",  "... and rejected: calls that stay open",    write_failures, NULL, NULL },
    { "targets",   "every line another target",                 write_targets, NULL, NULL },
    { "agents",    "every line another user agent",             write_agents, NULL, NULL },
    { "all-new",   "caller, target, agent: all new",            write_all_new, NULL, NULL },
    { "ids",       "JSON, every line another id",               write_ids, NULL, NULL },
    { "shapes",    "JSON, every line says other things",        write_shapes, NULL, NULL },
    { "decades",   "30 years at 1 ms",                          write_decades, NULL, NULL },
    { "years",     "stamps of any year from 0 to 9999",         write_years, NULL, NULL },
    { "backwards", "each line before the last",                 write_backwards, NULL, NULL },
    { "waves",     "a burst every 7 s without end",             write_waves, NULL, NULL },
    { "day",       "2,400 lines an hour",                       write_day, NULL, NULL },
    { "long",      "requests of 60 kB",                         write_long, NULL, NULL },
    { "endless",   "one line",                                  write_endless, NULL, NULL },
    { "noise",     "random bytes",                              write_noise, NULL, NULL },
    { "newlines",  "empty lines only",                          write_newlines, NULL, NULL },
    { "deep",      "JSON nested 30,000 deep",                   write_deep, NULL, NULL },
    { "bomb",      "one byte, packed 1,000:1",                  write_endless, "gzip -9", NULL },
    { "escapes",   "escapes in every field",                    write_escapes, NULL, NULL },
    { "nested",    "JSON in JSON, six times quoted",            write_nested, NULL, NULL },
    { "wide",      "JSON with 4,000 members",                   write_wide, NULL, NULL },
    { "brackets",  "lines that might begin a stamp",            write_unit, NULL, " [1" },
    { "stamps",    "lines of stamps",                           write_unit, NULL, " [30/Nov/2026:12:00:00 +0000] " },
    { "quotes",    "lines of quotes",                           write_unit, NULL, " \"" },
    { "slashes",   "lines of backslashes and quotes",           write_unit, NULL, "\\\" " },
    { "objects",   "lines of objects",                          write_unit, NULL, "{\"a\":{" },
    { "lists",     "lines of lists",                            write_unit, NULL, "[[" },
    { "members",   "lines of empty objects",                    write_unit, NULL, "{}," },
    { "keys",      "lines of small objects",                    write_unit, NULL, "{\"a\":1,\"b\":{}}," },
    { "pairs",     "lines of keys",                             write_unit, NULL, "a=" },
    { "quoted",    "lines of quoted values",                    write_unit, NULL, "a=\"" },
    { "labels",    "lines of labels",                           write_unit, NULL, "a:1\t" },
    { "words",     "lines of blanks and letters",               write_unit, NULL, "a " },
    { "digits",    "lines of numbers",                          write_unit, NULL, "1.2:3-" },
    { "colours",   "lines of terminal colours",                 write_unit, NULL, "\033[31m" },
    { "syslog",    "lines of priorities",                       write_unit, NULL, "<13>1 " },
    { "methods",   "lines of requests",                         write_unit, NULL, "\"GET / HTTP/1.1\" 503 " },
};
/* clang-format on */
enum { KIND_COUNT = sizeof(KINDS) / sizeof(KINDS[0]) };

static const kind *find(const char *name)
{
    for (size_t i = 0; i < KIND_COUNT; i++)
        if (strcmp(KINDS[i].name, name) == 0)
            return &KINDS[i];
    (void)fprintf(stderr, "bench_hostile: no kind '%s'\n", name);
    exit(2);
}

/* Until so many lines or bytes are out, or nobody reads. */
static void stream(const kind *k, FILE *out, uint64_t lines, uint64_t bytes)
{
    static char text[64 * 1024];
    writer w = { .line = 0, .unit = k->unit };

    lk_random_init(&w.random, 1);
    for (uint64_t done = 0; w.line < lines && done < bytes; w.line++) {
        int n = k->write(&w, text, sizeof(text));

        if (n <= 0 || fwrite(text, 1, (size_t)n, out) != (size_t)n)
            return;
        done += (uint64_t)n;
    }
}

/* The program, reading from `in`; its words are $LOCKSTEP, the fixed ones and $BENCH_OPTIONS. */
static void run_program(int in)
{
    enum { WORDS = 32 };
    static char options[1024];
    static char fixed[] = "analyze -q -o /dev/null";
    char *words[WORDS] = { getenv("LOCKSTEP") };
    size_t n = 1;

    for (char *p = strtok(fixed, " "); p; p = strtok(NULL, " "))
        words[n++] = p;

    (void)snprintf(options, sizeof(options), "%s",
                   getenv("BENCH_OPTIONS") ? getenv("BENCH_OPTIONS") : "");
    for (char *p = strtok(options, " "); p && n < WORDS - 1; p = strtok(NULL, " "))
        words[n++] = p;
    (void)dup2(in, STDIN_FILENO);
    (void)execvp(words[0], words);
    _exit(127);
}

typedef struct measured {
    double cpu_s;
    long peak_kib;
    int status;
} measured;

static measured measure(const kind *k, uint64_t lines, uint64_t bytes)
{
    int ends[2];
    struct rusage use = { 0 };
    measured m = { 0 };
    FILE *out;
    pid_t child;
    int status = 0;

    if (pipe(ends) != 0)
        exit(1);
    (void)fflush(stdout);
    child = fork();
    if (child == 0) {
        (void)close(ends[1]);
        run_program(ends[0]);
    }
    (void)close(ends[0]);
    if (k->pack) {
        int packed[2];
        pid_t packer;

        if (pipe(packed) != 0)
            exit(1);
        packer = fork();
        if (packer == 0) {
            (void)dup2(packed[0], STDIN_FILENO);
            (void)dup2(ends[1], STDOUT_FILENO);
            (void)close(packed[1]);
            (void)close(ends[1]);
            (void)execl("/bin/sh", "sh", "-c", k->pack, (char *)NULL);
            _exit(127);
        }
        (void)close(packed[0]);
        (void)close(ends[1]);
        out = fdopen(packed[1], "wb");
    } else {
        out = fdopen(ends[1], "wb");
    }
    if (!out)
        exit(1);
    stream(k, out, lines, bytes);
    (void)fclose(out);
    while (child > 0 && wait4(child, &status, 0, &use) < 0)
        ;
    m.cpu_s = (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
              1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
    m.peak_kib = use.ru_maxrss;
    m.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return m;
}

static void bench(uint64_t mib, const char *only)
{
    double normal_s = 0;

    (void)printf("%-10s\t%6s\t%8s\t%9s\t%6s\t%6s\t%s\n", "kind", "mib", "cpu_s", "peak_kib", "speed",
                 "status", "what");
    for (size_t i = 0; i < KIND_COUNT; i++) {
        measured m;

        if (only && i > 0 && strcmp(KINDS[i].name, only) != 0)
            continue;
        m = measure(&KINDS[i], UINT64_MAX, mib << 20);
        if (i == 0)
            normal_s = m.cpu_s;
        (void)printf("%-10s\t%6" PRIu64 "\t%8.2f\t%9ld\t%6.2f\t%6d\t%s\n", KINDS[i].name, mib,
                     m.cpu_s, m.peak_kib, normal_s / m.cpu_s, m.status, KINDS[i].what);
        (void)fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    (void)signal(SIGPIPE, SIG_IGN);
    if (argc == 4 && strcmp(argv[1], "--write") == 0) {
        stream(find(argv[2]), stdout, UINT64_MAX, strtoull(argv[3], NULL, 10) << 20);
    } else if (argc == 4 && strcmp(argv[1], "--lines") == 0) {
        stream(find(argv[2]), stdout, strtoull(argv[3], NULL, 10), UINT64_MAX);
    } else if (!getenv("LOCKSTEP")) {
        (void)fprintf(stderr, "bench_hostile: LOCKSTEP names no program\n");
        return 2;
    } else if (argc == 4 && strcmp(argv[1], "--peak") == 0) {
        measured m = measure(find(argv[2]), strtoull(argv[3], NULL, 10), UINT64_MAX);

        (void)printf("%ld\n", m.peak_kib);
        return m.status;
    } else {
        bench(argc > 1 ? strtoull(argv[1], NULL, 10) : 64, argc > 2 ? argv[2] : NULL);
    }
    return ferror(stdout) ? 1 : 0;
}
