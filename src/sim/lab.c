#include "sim/lab.h"

#include "base/whole.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct bench {
    lk_lab *lab;
    const lk_experiment *x;
    double *measures; /* [runs][count] */
    atomic_uint next, finished;
    pthread_mutex_t lock;
    unsigned failed_run; /* the first; runs = none */
    lk_err error;
} bench;

static void note_failure(bench *b, unsigned run, const lk_err *e)
{
    (void)pthread_mutex_lock(&b->lock);
    if (run < b->failed_run) {
        b->failed_run = run;
        b->error = *e;
    }
    (void)pthread_mutex_unlock(&b->lock);
    atomic_store(&b->next, b->x->runs);
}

static void tell(const bench *b)
{
    const lk_lab *lab = b->lab;

    if (lab->progress)
        lab->progress(lab->context,
                      lab->done + lab->step * atomic_load(&b->finished) / (double)b->x->runs);
}

static void work(bench *b, bool tells)
{
    const lk_experiment *x = b->x;
    void *worker = NULL;
    lk_err e = { 0 };
    unsigned run;

    if (x->open && x->open(x->context, &worker, &e) != LK_OK) {
        note_failure(b, 0, &e);
        return;
    }
    while ((run = atomic_fetch_add(&b->next, 1)) < x->runs) {
        if (x->run(x->context, worker, b->lab->seed, run, b->measures + run * x->count, &e) != LK_OK)
            note_failure(b, run, &e);
        atomic_fetch_add(&b->finished, 1);
        if (tells)
            tell(b);
    }
    if (x->close)
        x->close(worker);
}

static void *thread(void *context)
{
    work(context, false);
    return NULL;
}

/* A thread that cannot be had is one fewer. */
static void work_all(bench *b)
{
    pthread_t others[LK_LAB_THREADS];
    unsigned wanted = b->lab->threads < b->x->runs ? b->lab->threads : b->x->runs, count = 0;

    for (; count + 1 < wanted && count < LK_LAB_THREADS; count++)
        if (pthread_create(&others[count], NULL, thread, b) != 0)
            break;
    work(b, true);
    while (count > 0)
        (void)pthread_join(others[--count], NULL);
}

static lk_estimate estimate(const double *column, size_t stride, unsigned runs)
{
    lk_estimate r = { (double)NAN, (double)NAN, (double)NAN, 0 };
    double sum = 0, squares = 0;

    for (unsigned i = 0; i < runs; i++) {
        double x = column[i * stride];

        if (isnan(x))
            continue;
        sum += x;
        r.runs++;
    }
    if (!r.runs)
        return r;
    r.mean = sum / (double)r.runs;
    for (unsigned i = 0; i < runs; i++) {
        double off = column[i * stride] - r.mean;

        squares += isnan(off) ? 0 : off * off;
    }
    if (r.runs < 2)
        return r;
    r.deviation = sqrt(squares / (double)(r.runs - 1));
    r.error = r.deviation / sqrt((double)r.runs);
    return r;
}

lk_code lk_lab_run(lk_lab *lab, const lk_experiment *x, lk_estimate *out, lk_err *e)
{
    bench b = { .lab = lab, .x = x, .failed_run = x->runs };

    assert(x->count > 0 && x->count <= LK_LAB_MEASURES && x->runs > 0);
    b.measures = calloc((size_t)x->runs, x->count * sizeof(*b.measures));
    if (!b.measures)
        return lk_fail(e, LK_EOOM, "no memory for %u runs", x->runs);
    atomic_init(&b.next, 0);
    atomic_init(&b.finished, 0);
    (void)pthread_mutex_init(&b.lock, NULL);
    work_all(&b);
    (void)pthread_mutex_destroy(&b.lock);
    if (b.failed_run < x->runs) {
        free(b.measures);
        *e = b.error;
        return e->code;
    }
    for (size_t i = 0; i < x->count; i++)
        out[i] = estimate(b.measures + i, x->count, x->runs);
    free(b.measures);
    lab->done += lab->step;
    return LK_OK;
}

unsigned lk_lab_runs(const lk_lab *lab, unsigned full, unsigned least)
{
    double runs = ceil(full * lab->scale);

    return runs > least ? lk_whole_u32(runs) : least;
}
