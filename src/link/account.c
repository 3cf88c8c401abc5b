/* What the linker counted, as the report's calls, reconciliation, layers and amplification. */
#include "link/linker.h"

#include "base/whole.h"
#include "link/load.h"
#include "link/state.h"
#include "model/note.h"

#include <math.h>
#include <string.h>

/* Populations are numbered alike by all three: each indexes the tables of the others. */
_Static_assert((int)LK_GROUPS_MAX == (int)LK_WORKLOAD_GROUPS && (int)LK_GROUPS_MAX == (int)LK_NAMED_LAYER_GROUPS,
               "as many populations everywhere");

enum { NEVER_BACK_MIN = 30 }; /* failed attempts of a population: fewer may be chance */

/* How callers treat Retry-After, of the comebacks inside calls. */
static void report_obedience(const struct lk_linker *l, lk_report_obedience *out)
{
    double n = (double)(l->exact + l->early + l->later);

    out->told = lk_whole(n);
    if (n <= 0)
        return;
    out->exact = (double)l->exact / n;
    out->early = (double)l->early / n;
    out->spread = (double)l->later / n;
}

static double ratio(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : (double)NAN;
}

static int64_t length_quantile(const struct lk_linker *l, uint64_t calls, double q)
{
    uint64_t seen = 0;

    for (size_t n = 0; n <= LK_LENGTHS_MAX; n++) {
        seen += l->lengths[n];
        if (seen && (double)seen >= q * (double)calls)
            return (int64_t)n;
    }
    return LK_COUNT_NONE;
}

/* Cells are 3 % wide: a quantile is good to half of that, and never above the largest seen. */
static double span_quantile_s(const struct lk_linker *l, double q)
{
    uint64_t seen = 0;

    for (size_t cell = 0; cell <= LK_PAUSES_MAX; cell++) {
        seen += l->spans[cell];
        if (seen && (double)seen >= q * (double)l->timed)
            return fmin(lk_pause_value_s(cell), (double)l->span_max_ns / 1e9);
    }
    return (double)NAN;
}

static void report_times(const struct lk_linker *l, lk_report_calls *c)
{
    if (!l->timed)
        return;
    c->success_mean_s = (double)l->span_sum_ns / 1e9 / (double)l->timed;
    c->success_p50_s = span_quantile_s(l, 0.5);
    c->success_p99_s = span_quantile_s(l, 0.99);
    c->success_max_s = (double)l->span_max_ns / 1e9;
    if (l->span_sum_ns > 0)
        c->waiting_share = (double)l->waited_sum_ns / (double)l->span_sum_ns;
}

static bool any_identity(const struct lk_linker *l)
{
    for (size_t i = 0; i < l->groups.count; i++)
        if (l->groups.items[i].lines && lk_group_has_identity(l, &l->groups.items[i]))
            return true;
    return false;
}

static void report_calls(const struct lk_linker *l, const lk_call_counts *sum, lk_report *r)
{
    lk_report_calls *c = &r->calls;
    uint64_t calls = lk_call_counts_calls(sum);

    if (!calls)
        return;
    c->by_identity = any_identity(l);
    c->source = c->by_identity ? "identity" : "inferred";
    c->began_before = l->numbered ? (int64_t)l->began_before : LK_COUNT_NONE;
    c->total = (int64_t)calls;
    c->failed = (int64_t)sum->calls[LK_FATE_FAILED];
    c->open = (int64_t)sum->calls[LK_FATE_OPEN];
    c->recovered = (int64_t)sum->calls[LK_FATE_RECOVERED];
    c->succeeded_first = (int64_t)sum->calls[LK_FATE_FIRST];
    c->failed_share = ratio(sum->calls[LK_FATE_FAILED], calls);
    c->attempts_mean = ratio(sum->http, calls);
    c->attempts_p50 = length_quantile(l, calls, 0.5);
    c->attempts_p99 = length_quantile(l, calls, 0.99);
    c->attempts_max = (int64_t)sum->most;
    if (!c->counts_only)
        report_times(l, c);
    r->wasted.after_client_left = (int64_t)l->after_left;
    r->wasted.non_retryable = (int64_t)l->hopeless;
    r->wasted.ignored_retry_after = (int64_t)l->early;
    r->http.first_attempts = (int64_t)calls;
    r->http.retries = (int64_t)(sum->lines > calls ? sum->lines - calls : 0);
    r->wasted.retry_share = ratio(sum->lines > calls ? sum->lines - calls : 0, sum->lines);
}

/* `sum` without the populations whose rejections are in no known call. */
static void report_reconciliation(const lk_call_counts *sum, lk_report *r)
{
    lk_report_reconciliation *c = &r->reconciliation;
    int64_t placed;

    c->rejected = r->http.rejected;
    c->in_recovered_calls =
        (int64_t)(sum->rejected[LK_FATE_RECOVERED] + sum->rejected[LK_FATE_FIRST]);
    c->in_failed_calls = (int64_t)sum->rejected[LK_FATE_FAILED];
    c->in_open_calls = (int64_t)sum->rejected[LK_FATE_OPEN];
    placed = c->in_recovered_calls + c->in_failed_calls + c->in_open_calls;
    c->unattributed = c->rejected - placed;
}

/* Failed attempts by what the load lets one know of their calls. */
struct regimes {
    uint64_t failed, counted, unknown;
    double counted_load, unknown_load; /* of the largest population of each */
};

static struct regimes regimes_of(const struct lk_linker *l)
{
    struct regimes s = { 0 };
    uint64_t most_counted = 0, most_unknown = 0;

    for (size_t i = 0; i < l->groups.count; i++) {
        const lk_group *g = &l->groups.items[i];
        lk_regime regime = lk_group_regime(l, g);

        s.failed += g->failed_lines;
        if (regime == LK_REGIME_COUNTED) {
            s.counted += g->failed_lines;
            if (g->failed_lines > most_counted)
                s.counted_load = lk_group_load(g);
            most_counted = g->failed_lines > most_counted ? g->failed_lines : most_counted;
        } else if (regime == LK_REGIME_UNKNOWN) {
            s.unknown += g->failed_lines;
            if (g->failed_lines > most_unknown)
                s.unknown_load = lk_group_load(g);
            most_unknown = g->failed_lines > most_unknown ? g->failed_lines : most_unknown;
        }
    }
    return s;
}

/* Counts of calls hold when what is not known could not change them by more than a fiftieth. */
static bool are_calls_known(const struct regimes *s)
{
    return 50 * s->unknown <= s->failed;
}

/* ... and single calls where not much more than that is counted only. */
static bool are_calls_counted_only(const struct regimes *s)
{
    return 50 * s->counted > s->failed;
}

static const char *load_text(double load, lk_arena *arena)
{
    return load >= 0.05 ? lk_arena_printf(arena, " (%.1f other requests, on average)", load) : "";
}

static lk_code note_regimes(const struct regimes *s, lk_arena *arena, lk_report *r, lk_err *e)
{
    if (s->counted)
        LK_TRY(lk_report_note(
            r, arena,
            lk_arena_printf(arena,
                            "Calls are counted, not followed one by one, for %llu of the %llu failed "
                            "requests: one caller key stands for many calls at a time%s. Their sums "
                            "hold; which request came back from which is not known.",
                            (unsigned long long)s->counted, (unsigned long long)s->failed,
                            load_text(s->counted_load, arena)),
            e));
    if (!s->unknown)
        return LK_OK;
    return lk_report_note(
        r, arena,
        lk_arena_printf(arena,
                        "Calls are not known for %llu of the %llu failed requests: other requests of "
                        "the same caller, method and target come before a retry could%s, so none can "
                        "be told from a new call. They are in no call and no layer. A logged call or "
                        "task id tells (--call-id, --task-id), or the callers' own log (--sdk-log).",
                        (unsigned long long)s->unknown, (unsigned long long)s->failed,
                        load_text(s->unknown_load, arena)),
        e);
}

/* Which id column names the units of a layer; its name or NULL.  A column under which counters start
 * again names tasks, any other that joins names calls. */
static const char *field_of(const struct lk_linker *l, const char *const id_names[LK_IDS],
                            bool of_tasks)
{
    const lk_id_use *best = NULL;
    const char *name = NULL;

    for (size_t i = 0; i < LK_IDS; i++) {
        const lk_id_use *u = &l->uses[i];

        if (!u->lines || !lk_id_is_joining(u) || (!u->is_call && u->joined < 3) ||
            lk_id_names_task(u) != of_tasks)
            continue;
        if (best && (best->is_call > u->is_call ||
                     (best->is_call == u->is_call && best->joined >= u->joined)))
            continue;
        best = u;
        name = id_names[i] ? id_names[i] : "id";
    }
    return name;
}

static const char *population_name(const struct lk_linker *l, const lk_group *g, lk_arena *arena)
{
    if (g->population == UINT32_MAX)
        return "other";
    return lk_arena_text(arena, lk_intern_text(&l->symbols->populations, g->population));
}

/* What tells calls apart where attempts are numbered and have no id. */
static const char BY_NUMBER[] = "attempt number";

/* Rows grow in the arena's order: lowest layer first. */
struct rows {
    const struct lk_linker *l;
    lk_arena *arena;
    const char *call_field, *task_field; /* NULL = none */
    const lk_named_layers *named; /* NULL = none */
    lk_report_layers out;
};

static lk_report_layer *add_layer(struct rows *x, const lk_group *g, const char *name,
                                  uint64_t units, uint64_t attempts, uint64_t most)
{
    lk_report_layer *layer = &x->out.layers[x->out.layer_count++];

    *layer = (lk_report_layer){
        .population = population_name(x->l, g, x->arena),
        .name = name,
        .units = (int64_t)units,
        .attempts = (int64_t)attempts,
        .amplification = ratio(attempts, units),
        .amplification_max = (int64_t)most,
        .cap = LK_COUNT_NONE,
        .bounded = LK_NOT_KNOWN,
        .delay_s = (double)NAN,
        .expected = (double)NAN,
    };
    return layer;
}

/* Calls that gave up at the greatest length seen, three times at least: a cap. */
static int64_t cap_seen(const lk_group *g)
{
    for (uint32_t n = LK_LENGTHS; n > 0; n--)
        if (g->gave_up[n])
            return g->gave_up[n] >= 3 && n < LK_LENGTHS && n >= g->counts.most ? (int64_t)n
                                                                              : LK_COUNT_NONE;
    return LK_COUNT_NONE;
}

/* Attempts a call if each failed with the same chance, whatever came before it: printed where it
 * agrees with what was seen, which says that the two counts are sound. */
static double expected_attempts(const lk_call_counts *c, int64_t cap, double seen)
{
    double good = (double)(c->calls[LK_FATE_FIRST] + c->calls[LK_FATE_RECOVERED]);
    double p = c->attempts ? 1 - good / (double)c->attempts : 0, expected;

    if (cap < 2 || p <= 0 || p >= 1)
        return (double)NAN;
    expected = (1 - pow(p, (double)cap)) / (1 - p);
    return fabs(expected - seen) <= 0.05 * seen ? expected : (double)NAN;
}

static void add_call_layer(struct rows *x, const lk_group *g, bool by_id)
{
    lk_report_layer *layer =
        add_layer(x, g, "sdk", lk_call_counts_calls(&g->counts), g->counts.attempts, g->counts.most);

    layer->cap = cap_seen(g);
    layer->bounded = layer->cap == LK_COUNT_NONE ? LK_NOT_KNOWN : LK_YES;
    layer->delay_s = g->delay_s[0];
    layer->expected = expected_attempts(&g->counts, layer->cap, layer->amplification);
    if (by_id && !g->id_cap)
        layer->identity = lk_group_has_ids(x->l, g) ? x->call_field : BY_NUMBER;
    else /* too few comebacks for a delay that stands for them: they came when they were asked to */
        layer->identity = isnan(g->delay_s[0]) ? "delay" : lk_arena_printf(x->arena, "delay:%.3g", g->delay_s[0]);
}

/* Tasks that gave up, half of them at least after the most calls seen: a cap. */
static int64_t task_cap_seen(const lk_group *g)
{
    uint64_t all = 0, most = g->counts.task_most_calls;

    for (uint32_t n = 0; n <= LK_LENGTHS; n++)
        all += g->task_gave_up[n];
    if (most < 2 || most >= LK_LENGTHS || g->task_gave_up[most] < 3)
        return LK_COUNT_NONE;
    return 2 * (uint64_t)g->task_gave_up[most] >= all ? (int64_t)most : LK_COUNT_NONE;
}

/* The task that came back most often did so for most of the time that there were failures. */
static bool grows_with_incident(const lk_group *g)
{
    double failing_s = g->failed_from_ns == LK_TIME_NONE
                           ? 0
                           : (double)(g->failed_to_ns - g->failed_from_ns) / 1e9;

    return g->counts.task_most_calls >= 4 && failing_s > 0 &&
           (double)(g->counts.task_most_calls - 1) * g->delay_s[1] >= 0.5 * failing_s;
}

static void add_task_layer(struct rows *x, const lk_group *g)
{
    lk_report_layer *layer = add_layer(x, g, "job", g->counts.tasks, g->counts.task_calls,
                                       g->counts.task_most_calls);

    layer->delay_s = g->delay_s[1];
    layer->cap = task_cap_seen(g);
    if (layer->cap != LK_COUNT_NONE)
        layer->bounded = LK_YES;
    else if (grows_with_incident(g))
        layer->bounded = LK_NO;
    layer->identity = lk_group_has_identity(x->l, g) && (x->task_field || g->id_cap)
                          ? (x->task_field ? x->task_field : x->call_field)
                          : lk_arena_printf(x->arena, "delay:%.4g%s", g->delay_s[1],
                                            g->is_job ? " (user agent)" : "");
}

/* The sums of the named layer of that row; NULL: the row is of another kind. */
static const lk_named_sum *sum_of_row(const struct rows *x, const lk_group *g,
                                      const lk_report_layer *row)
{
    for (size_t i = 0; x->named && i < x->named->count; i++)
        if (row->name == x->named->name[i])
            return &x->named->sums[i][g - x->l->groups.items];
    return NULL;
}

/* Rows of the layers that the user names, where they multiply anything. */
static void add_named(struct rows *x, const lk_group *g)
{
    for (size_t i = 0; x->named && i < x->named->count; i++) {
        const lk_named_sum *s = &x->named->sums[i][g - x->l->groups.items];

        if (s->units && (double)s->http > 1.005 * (double)s->units)
            add_layer(x, g, x->named->name[i], s->units, s->http, s->most_http)->identity =
                x->named->field[i];
    }
}

/* Lowest first: what has more units lies below. */
static void sort_rows(lk_report_layer *rows, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && rows[j].units > rows[j - 1].units; j--) {
            lk_report_layer t = rows[j];

            rows[j] = rows[j - 1];
            rows[j - 1] = t;
        }
}

/* What a named layer makes is units of the layer below it. */
static void count_below(const lk_named_sum *s, const lk_report_layer *below, bool below_is_named,
                        lk_report_layer *row)
{
    bool is_job = strcmp(below->name, "job") == 0;

    if (strcmp(below->name, "proxy") == 0)
        return;
    row->attempts = (int64_t)(below_is_named ? (uint64_t)below->units
                              : is_job       ? s->tasks
                                             : s->calls);
    row->amplification_max = below_is_named ? LK_COUNT_NONE
                             : is_job       ? (int64_t)s->most_tasks
                                            : (int64_t)s->most_calls;
    row->amplification = ratio((uint64_t)row->attempts, s->units);
}

/* Puts the named layers of the population in their places; gives the sums of the topmost when it is
 * one of them. */
static const lk_named_sum *place_named(struct rows *x, const lk_group *g, size_t from)
{
    lk_report_layer *rows = &x->out.layers[from];
    size_t n = x->out.layer_count - from;

    sort_rows(rows, n);
    for (size_t i = 0; i < n; i++) {
        const lk_named_sum *s = sum_of_row(x, g, &rows[i]);

        if (s && i > 0)
            count_below(s, &rows[i - 1], sum_of_row(x, g, &rows[i - 1]) != NULL, &rows[i]);
        if (!s && i > 0 && sum_of_row(x, g, &rows[i - 1])) {
            rows[i].attempts = rows[i - 1].units;
            rows[i].amplification = ratio((uint64_t)rows[i].attempts, (uint64_t)rows[i].units);
        }
    }
    return n ? sum_of_row(x, g, &rows[n - 1]) : NULL;
}

size_t lk_linker_never_back(const lk_linker *l, lk_never_back *out)
{
    size_t n = 0;

    for (size_t i = 1; i < l->groups.count; i++) {
        const lk_group *g = &l->groups.items[i];
        uint64_t calls = lk_call_counts_calls(&g->counts);

        if (g->failed_lines < NEVER_BACK_MIN || lk_group_regime(l, g) != LK_REGIME_LINKED ||
            g->counts.attempts > calls || g->counts.lines > calls ||
            g->counts.task_calls > g->counts.tasks || g->links || g->is_scheduled)
            continue;
        out[n++] = (lk_never_back){ g->population, calls };
    }
    return n;
}

static void add_group(struct rows *x, const lk_group *g)
{
    const lk_named_sum *top = NULL;
    const lk_call_counts *c = &g->counts;
    uint64_t calls = lk_call_counts_calls(c);
    const size_t before = x->out.layer_count;
    bool by_id = lk_group_has_identity(x->l, g);
    bool has_tasks = g->has_tasks && (double)c->task_calls > 1.02 * (double)c->tasks;
    uint64_t units = has_tasks ? c->tasks : calls;
    lk_known bounded;

    if ((double)c->tries > 0.02 * (double)(c->lines - c->tries))
        add_layer(x, g, "proxy", c->lines - c->tries, c->lines, 0)->identity =
            by_id ? x->call_field : "tries in a line";
    if ((double)c->attempts > 1.005 * (double)calls)
        add_call_layer(x, g, by_id);
    if (has_tasks)
        add_task_layer(x, g);
    if (x->named) {
        add_named(x, g);
        top = place_named(x, g, before);
    }
    if (x->out.layer_count == before)
        return;
    if (top && top->calls * 100 >= calls * 95)
        units = top->units;
    else
        top = NULL;
    bounded = LK_YES;
    for (uint64_t i = before; i < x->out.layer_count; i++)
        if (bounded != LK_NO && x->out.layers[i].bounded != LK_YES)
            bounded = x->out.layers[i].bounded;
    x->out.amplification[x->out.amplification_count++] = (lk_report_amplification){
        .population = population_name(x->l, g, x->arena),
        .units = (int64_t)units,
        .attempts = (int64_t)c->http,
        .mean = ratio(c->http, units),
        .max = (int64_t)(top ? top->most_http : c->task_most_http),
        .bounded = bounded,
        .cycle_units = LK_COUNT_NONE,
        .cycle_attempts = LK_COUNT_NONE,
        .cycle_s = (double)NAN,
    };
}

/* Worst first; insertion, since populations are few. */
static void sort_amplification(lk_report_layers *r)
{
    for (size_t i = 1; i < r->amplification_count; i++)
        for (size_t j = i; j > 0 && r->amplification[j].mean > r->amplification[j - 1].mean; j--) {
            lk_report_amplification t = r->amplification[j];

            r->amplification[j] = r->amplification[j - 1];
            r->amplification[j - 1] = t;
        }
}

static lk_code rows_open(struct rows *x, const struct lk_linker *l,
                         const char *const id_names[LK_IDS], lk_arena *arena, lk_err *e)
{
    const char *call_field = field_of(l, id_names, false);
    const char *task_field = field_of(l, id_names, true);

    *x = (struct rows){ l, arena, call_field ? call_field : task_field, task_field, NULL, { 0 } };
    x->out.layers = LK_NEW(arena, lk_report_layer, (3 + LK_NAMED_LAYERS_MAX) * l->groups.count);
    x->out.amplification = LK_NEW(arena, lk_report_amplification, l->groups.count);
    if (!x->out.layers || !x->out.amplification)
        return lk_fail(e, LK_EOOM, "no memory for the layers of %zu populations", l->groups.count);
    return LK_OK;
}

lk_code lk_linker_report(const lk_linker *l, const char *const id_names[LK_IDS], lk_arena *arena,
                         lk_report *r, lk_err *e)
{
    lk_call_counts sum = { 0 }, placed = { 0 };
    struct regimes regimes;
    struct rows x;

    LK_TRY(rows_open(&x, l, id_names, arena, e));
    x.named = l->options.named;
    for (size_t i = 0; i < l->groups.count; i++) {
        const lk_group *g = &l->groups.items[i];

        lk_call_counts_merge(&sum, &g->counts);
        if (lk_group_is_known(l, g))
            lk_call_counts_merge(&placed, &g->counts);
    }
    regimes = regimes_of(l);
    r->calls.counts_only = are_calls_known(&regimes) && are_calls_counted_only(&regimes);
    if (are_calls_known(&regimes))
        report_calls(l, &sum, r);
    report_reconciliation(&placed, r);
    LK_TRY(note_regimes(&regimes, arena, r, e));
    report_obedience(l, &r->retry_after.obedience);
    r->input.identity_call = x.call_field;
    r->input.identity_task = x.task_field;
    if (!r->input.identity_call && r->calls.source)
        r->input.identity_call = r->calls.by_identity ? BY_NUMBER : "inferred";
    if (l->numbered)
        r->input.identity_attempt = "logged";
    r->input.evicted_calls = (int64_t)l->evicted;
    r->input.folded_callers = (int64_t)l->folded_keys;
    for (size_t i = 0; i < l->groups.count; i++)
        if (l->groups.items[i].lines && lk_group_is_known(l, &l->groups.items[i]))
            add_group(&x, &l->groups.items[i]);
    sort_amplification(&x.out);
    r->layers = x.out.layers;
    r->layer_count = x.out.layer_count;
    r->amplification = x.out.amplification;
    r->amplification_count = x.out.amplification_count;
    return LK_OK;
}

lk_code lk_linker_report_part(const lk_linker *l, const char *const id_names[LK_IDS],
                              const lk_call_counts counts[LK_GROUPS_MAX], lk_arena *arena,
                              lk_report_layers *out, lk_err *e)
{
    struct rows x;

    LK_TRY(rows_open(&x, l, id_names, arena, e));
    for (size_t i = 0; i < l->groups.count; i++) {
        lk_group part;

        if (!lk_call_counts_calls(&counts[i]) || !lk_group_is_known(l, &l->groups.items[i]))
            continue;
        part = l->groups.items[i];
        part.counts = counts[i];
        add_group(&x, &part);
    }
    sort_amplification(&x.out);
    *out = x.out;
    return LK_OK;
}
