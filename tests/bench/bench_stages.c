/* Where the CPU time of a line goes, stage by stage: each run does one stage more than the run before it, in turns.
 *
 * usage: bench_stages [LINES [ROUNDS]]    (default 500,000 and 3; TMPDIR is where the logs are made)
 * Prints a row a set: nanoseconds a line of inflating, of splitting lines, of their fields, of names and hashes,
 * of order, of linking, and of what the whole analysis has on top: counting what infer/ needs, the report.
 * infer/ by itself is what it takes whatever the number of lines.  */
#include "made_log.h"

#include "base/pages.h"
#include "format/attempt.h"
#include "input/chunks.h"
#include "input/lines.h"
#include "link/linker.h"
#include "lockstep/lockstep.h"
#include "order/merge.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS_MAX = 9, LINE_MAX_LEN = 1 << 20, SNIFFED = 2000 };

typedef enum stage { INFLATE, SPLIT, FIELDS, NAMES, ORDER, LINK, WHOLE, INFER, STAGES } stage;

/* A log as a source of attempts, as far as `depth` asks for. */
typedef struct reader {
    lk_source source; /* first: the merge knows it by this */
    lk_lines *lines;
    lk_layout layout;
    lk_parse_cache cache;
    lk_symbols symbols;
    stage depth;
} reader;

static void fail(const lk_err *e)
{
    (void)fprintf(stderr, "bench_stages: %s\n", e->msg);
    exit(1);
}

static double cpu_s(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void inflate_all(const char *path)
{
    lk_err e = { 0 };
    static lk_chunks c; /* a quarter of a megabyte */
    lk_slice chunk;

    if (lk_chunks_open(&c, path, &e) != LK_OK)
        fail(&e);
    while (lk_chunks_next(&c, &chunk, &e) == LK_STEP_ITEM)
        ;
    lk_chunks_close(&c);
}

static void sniff(const char *path, lk_layout *out)
{
    static lk_sniffer sniffer;
    lk_err e = { 0 };
    lk_lines *lines;
    lk_line line;

    lk_sniffer_init(&sniffer);
    if (lk_lines_open(path, LINE_MAX_LEN, &lines, &e) != LK_OK)
        fail(&e);
    for (int i = 0; i < SNIFFED && lk_lines_next(lines, &line, &e) == LK_STEP_ITEM; i++)
        lk_sniffer_line(&sniffer, line.text);
    lk_lines_close(lines);
    lk_sniffer_decide(&sniffer, out);
}

/* As the program does, which looks for wrappers besides. */
static bool read_fields(reader *r, const lk_line *line, lk_fields *out)
{
    const lk_format *format = r->layout.format;
    lk_reject why;

    r->cache.quotes = line->quotes;
    return (format->read_plain && format->read_plain(&r->layout, &r->cache, line->text, out)) ||
           lk_layout_parse(&r->layout, &r->cache, line->text, out, &why);
}

static lk_step next_attempt(lk_source *s, lk_attempt *out, lk_err *e)
{
    reader *r = (reader *)s;
    lk_fields fields;
    lk_line line;
    lk_step got;

    while ((got = lk_lines_next(r->lines, &line, e)) == LK_STEP_ITEM) {
        if (r->depth < FIELDS || !read_fields(r, &line, &fields) || r->depth < NAMES)
            continue;
        return lk_attempt_from(&fields, &r->layout, &r->symbols, out, e) == LK_OK ? LK_STEP_ITEM
                                                                                    : LK_STEP_FAIL;
    }
    return got;
}

static void close_reader(lk_source *s)
{
    reader *r = (reader *)s;

    lk_lines_close(r->lines);
    r->lines = NULL;
}

static void open_reader(reader *r, const char *path, stage depth, lk_err *e)
{
    r->source = (lk_source){ .next = next_attempt, .close = close_reader };
    r->depth = depth;
    sniff(path, &r->layout);
    lk_parse_cache_init(&r->cache);
    if (lk_symbols_init(&r->symbols, 1, e) != LK_OK ||
        lk_lines_open(path, LINE_MAX_LEN, &r->lines, e) != LK_OK)
        fail(e);
    if (depth >= FIELDS && r->layout.format->takes_quotes)
        lk_lines_mark_quotes(r->lines);
}

static void order_all(reader *r, stage depth, lk_err *e)
{
    enum { BATCH = 32 };
    lk_merge_options how = LK_MERGE_OPTIONS_INIT;
    lk_linker_options linking = LK_LINKER_OPTIONS_INIT;
    lk_source *sources[] = { &r->source };
    lk_attempt batch[BATCH];
    lk_linker *linker;
    int64_t end_ns = 0;
    lk_merge merge;
    size_t n;

    if (lk_merge_init(&merge, sources, 1, &how, e) != LK_OK ||
        lk_linker_open(&linking, &r->symbols, &linker, e) != LK_OK)
        fail(e);
    do {
        for (n = 0; n < BATCH && lk_merge_next(&merge, &batch[n], e) == LK_STEP_ITEM; n++)
            if (depth >= LINK)
                lk_linker_foresee(linker, &batch[n]);
        for (size_t i = 0; depth >= LINK && i < n; i++)
            lk_linker_foresee_entries(linker, &batch[i]);
        for (size_t i = 0; depth >= LINK && i < n; i++) {
            end_ns = batch[i].end_ns;
            if (lk_linker_take(linker, &batch[i], e) != LK_OK)
                fail(e);
        }
    } while (n == BATCH);
    if (depth >= LINK && lk_linker_finish(linker, end_ns, e) != LK_OK)
        fail(e);
    lk_linker_close(linker);
    lk_merge_release(&merge);
}

static void read_all(const char *path, stage depth)
{
    static reader r;
    lk_err e = { 0 };
    lk_attempt a;

    open_reader(&r, path, depth, &e);
    if (depth >= ORDER)
        order_all(&r, depth, &e);
    else
        while (next_attempt(&r.source, &a, &e) == LK_STEP_ITEM)
            ;
    close_reader(&r.source);
    lk_symbols_release(&r.symbols);
}

/* Returns the time of infer/. */
static double analyze(const char *path)
{
    const char *const files[] = { path };
    lockstep_options o = LOCKSTEP_OPTIONS_INIT;
    lockstep_report *report;
    lockstep_error error;
    const char *name;
    double s, infer_s = 0;

    o.files = files;
    o.file_count = 1;
    o.threads = 1;
    (void)lockstep_analyze(&o, &report, &error);
    for (size_t i = 0; (s = lockstep_stage_seconds(report, i, &name)) >= 0; i++)
        infer_s = strcmp(name, "infer") == 0 ? s : infer_s;
    lockstep_report_free(report);
    return infer_s;
}

static void run(const char *path, double seconds[STAGES])
{
    for (stage depth = INFLATE; depth < STAGES - 1; depth++) {
        double before = cpu_s();

        if (depth == INFLATE)
            inflate_all(path);
        else if (depth == WHOLE)
            seconds[INFER] = analyze(path);
        else
            read_all(path, depth);
        seconds[depth] = cpu_s() - before;
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void bench(const struct set *set, unsigned long lines, int rounds, const char *path)
{
    double all[STAGES][ROUNDS_MAX], seconds[STAGES], before = 0;

    write_log(set, lines, RATE, path);
    for (int i = 0; i < rounds; i++) {
        run(path, seconds);
        for (size_t k = 0; k < STAGES; k++)
            all[k][i] = seconds[k];
    }
    (void)printf("%s\t%lu", set->name, lines);
    for (size_t k = 0; k < STAGES; k++)
        qsort(all[k], (size_t)rounds, sizeof(all[k][0]), by_value);
    for (size_t k = INFLATE; k <= WHOLE; k++) {
        double s = all[k][rounds / 2] - (k == WHOLE ? all[INFER][rounds / 2] : 0);

        (void)printf("\t%.0f", 1e9 * (s - before) / (double)lines);
        before = s;
    }
    (void)printf("\t%.0f\t%.3f\n", 1e9 * before / (double)lines, all[INFER][rounds / 2]);
    (void)fflush(stdout);
}

int main(int argc, char **argv)
{
    unsigned long lines = argc > 1 ? strtoul(argv[1], NULL, 10) : 500000;
    int rounds = argc > 2 ? atoi(argv[2]) : 3;
    const char *folder = getenv("TMPDIR");
    char path[256];

    lk_pages_prefer_large(); /* as the program does */
    rounds = rounds < 1 ? 1 : rounds > ROUNDS_MAX ? ROUNDS_MAX : rounds;
    (void)snprintf(path, sizeof(path), "%s/lockstep-stages-%ld.log.gz", folder ? folder : "/tmp",
                   (long)getpid());
    (void)printf("set\tlines\tinflate_ns\tsplit_ns\tfields_ns\tnames_ns\torder_ns\tlink_ns\trest_ns\t"
                 "line_ns\tinfer_s\n");
    for (size_t i = 0; i < SET_COUNT; i++)
        bench(&SETS[i], lines, rounds, path);
    (void)unlink(path);
    return 0;
}
