#include "scale/dictionary.h"

#include "base/hash.h"
#include "base/time.h"
#include "scale/numbers.h"
#include "scale/record.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)LK_SHAPE_WHOLE >= (int)LK_NUMBERS_MAX, "no shape has that number");

enum { SYMBOL_MAX = LK_TARGETS_MAX, TEXT_MAX = 512, SHAPES_MAX = LK_NUMBERS_MAX, NUMBERED_MAX = LK_NUMBERS_MAX };

/* A table that its numbers fill. */
typedef struct table {
    void *items;
    size_t count, cap;
} table;

typedef struct what {
    uint64_t hash, target; /* a symbol of the source, or a hash */
    bool target_is_hash, is_there;
} what;

typedef struct caller {
    uint64_t hash;
    bool is_there;
} caller;

typedef struct shape {
    lk_shape shape;
    bool is_there;
} shape;

/* A string of a source, escaped, and when it was read first; then its number among all. */
typedef struct symbol {
    lk_slice text;
    int64_t reached_ns;
    uint32_t rank; /* of its source */
    uint32_t number;
} symbol;

struct lk_record_source {
    uint64_t number;
    bool has_account;
    lk_source_account account;
    int64_t file_first_ns; /* of the file that it is a part of */
    table shapes, whats, callers, populations, targets;
};

struct lk_symbol_hash {
    uint64_t hash;
    uint32_t number;
};

typedef struct lk_record_source source;

/* ---- reading lines ---- */

static lk_code no_line(const lk_state *s, lk_err *e)
{
    return lk_fail(e, LK_EDATA, "'%s': the state is damaged: a line of its dictionary is none",
                   s->path);
}

static lk_code source_of(lk_dictionary *d, uint64_t number, uint32_t *index, lk_err *e)
{
    LK_TRY(lk_state_sources_index(&d->index, number, index, e));
    if (*index < d->source_count)
        return LK_OK;
    if (d->source_count == d->source_cap) {
        size_t cap = d->source_cap ? 2 * d->source_cap : 16;
        source *wider = realloc(d->sources, cap * sizeof(*wider));

        if (!wider)
            return lk_fail(e, LK_EOOM, "no memory for %zu inputs", cap);
        d->sources = wider;
        d->source_cap = cap;
    }
    d->sources[d->source_count++] = (source){ .number = number };
    return LK_OK;
}

/* Entry `at` of a table, zero where nothing was put yet. */
static lk_code entry_of(table *t, uint64_t at, size_t size, size_t max, const lk_state *s, void **out,
                        lk_err *e)
{
    if (at >= max)
        return no_line(s, e);
    if (at >= t->cap) {
        size_t cap = t->cap ? t->cap : 8;
        char *wider;

        while (cap <= at)
            cap *= 2;
        wider = realloc(t->items, cap * size);
        if (!wider)
            return lk_fail(e, LK_EOOM, "no memory for the dictionary of '%s'", s->path);
        memset(wider + t->cap * size, 0, (cap - t->cap) * size);
        t->items = wider;
        t->cap = cap;
    }
    if (at >= t->count)
        t->count = (size_t)at + 1;
    *out = (char *)t->items + at * size;
    return LK_OK;
}

static lk_code take_shape(source *x, const char *p, const char *end, const lk_state *s, lk_err *e)
{
    uint64_t at, bits;
    lk_shape unpacked;
    void *entry;

    if (!lk_varint_get(&p, end, &at) || !lk_digits_get(&p, end, LK_DIGITS_64, &bits) || p != end ||
        !lk_shape_unpack(bits, &unpacked))
        return no_line(s, e);
    LK_TRY(entry_of(&x->shapes, at, sizeof(shape), SHAPES_MAX, s, &entry, e));
    *(shape *)entry = (shape){ unpacked, true };
    return LK_OK;
}

static lk_code take_caller(source *x, const char *p, const char *end, const lk_state *s, lk_err *e)
{
    uint64_t at, hash;
    void *entry;

    if (!lk_varint_get(&p, end, &at) || !lk_digits_get(&p, end, LK_DIGITS_64, &hash) || p != end)
        return no_line(s, e);
    LK_TRY(entry_of(&x->callers, at, sizeof(caller), NUMBERED_MAX, s, &entry, e));
    *(caller *)entry = (caller){ hash, true };
    return LK_OK;
}

static lk_code take_what(source *x, const char *p, const char *end, const lk_state *s, lk_err *e)
{
    what w = { .is_there = true };
    uint64_t at;
    void *entry;

    if (!lk_varint_get(&p, end, &at) || !lk_digits_get(&p, end, LK_DIGITS_64, &w.hash))
        return no_line(s, e);
    w.target_is_hash = end - p == LK_DIGITS_64;
    if (w.target_is_hash ? !lk_digits_get(&p, end, LK_DIGITS_64, &w.target)
                         : !lk_varint_get(&p, end, &w.target) || p != end)
        return no_line(s, e);
    LK_TRY(entry_of(&x->whats, at, sizeof(what), NUMBERED_MAX, s, &entry, e));
    *(what *)entry = w;
    return LK_OK;
}

static lk_code take_symbol(table *t, const char *p, const char *end, const lk_state *s, lk_err *e)
{
    uint64_t at;
    const char *blank;
    int64_t reached_ns;
    void *entry;

    if (!lk_varint_get(&p, end, &at) || !(blank = memchr(p, ' ', (size_t)(end - p))) ||
        !lk_record_time((lk_slice){ p, (size_t)(blank - p) }, &reached_ns))
        return no_line(s, e);
    p = blank + 1;
    LK_TRY(entry_of(t, at, sizeof(symbol), SYMBOL_MAX, s, &entry, e));
    *(symbol *)entry = (symbol){ .text = { p, (size_t)(end - p) }, .reached_ns = reached_ns };
    return LK_OK;
}

static bool is_same(const lk_source_account *a, const lk_source_account *b)
{
    return a->identity == b->identity && a->attempts == b->attempts && a->total == b->total &&
           a->at == b->at && strcmp(a->name, b->name) == 0;
}

static lk_code take_account(source *x, const char *p, const char *end, const lk_state *s,
                            lk_repeats repeats, lk_arena *arena, lk_err *e)
{
    lk_source_account account = { 0 };

    if (p == end || *p++ != ' ')
        return no_line(s, e);
    if (lk_source_account_read((lk_slice){ p, (size_t)(end - p) }, arena, &account, e) != LK_OK) {
        lk_err why = *e;

        return lk_fail(e, why.code, "'%s': %s", s->path, why.msg);
    }
    if (x->has_account && repeats == LK_REPEATS_REFUSED)
        return lk_fail(e, LK_EDATA,
                       "input '%s' is there twice, here in '%s': merge --once counts it once",
                       account.name, s->path);
    if (x->has_account && !is_same(&x->account, &account))
        return lk_fail(e, LK_EDATA,
                       "inputs '%s' and '%s' cannot be told apart: give them names with map --name",
                       x->account.name, account.name);
    x->account = account;
    x->has_account = true;
    return LK_OK;
}

static lk_code take_line(lk_dictionary *d, const lk_state *s, lk_slice line,
                         lk_repeats repeats, lk_arena *arena, lk_err *e)
{
    const char *p = line.p, *end = line.p + line.len;
    uint64_t number;
    uint32_t index;
    source *x;

    if (p == end)
        return no_line(s, e);
    ++p;
    if (!lk_digits_get(&p, end, LK_SOURCE_DIGITS, &number))
        return no_line(s, e);
    LK_TRY(source_of(d, number, &index, e));
    x = &d->sources[index];
    switch (line.p[0]) {
    case LK_RECORD_SHAPE: return take_shape(x, p, end, s, e);
    case LK_RECORD_WHAT: return take_what(x, p, end, s, e);
    case LK_RECORD_CALLER: return take_caller(x, p, end, s, e);
    case LK_RECORD_POPULATION: return take_symbol(&x->populations, p, end, s, e);
    case LK_RECORD_TARGET: return take_symbol(&x->targets, p, end, s, e);
    case LK_RECORD_SOURCE: return take_account(x, p, end, s, repeats, arena, e);
    }
    return no_line(s, e);
}

static lk_code take_lines(lk_dictionary *d, const lk_state *s, lk_repeats repeats, lk_arena *arena,
                          lk_err *e)
{
    const char *p = s->dictionary, *end = p + s->dictionary_len;

    while (p < end) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));

        if (!stop)
            return no_line(s, e);
        LK_TRY(take_line(d, s, (lk_slice){ p, (size_t)(stop - p) }, repeats, arena, e));
        p = stop + 1;
    }
    return LK_OK;
}

static lk_code take_state(lk_dictionary *d, const lk_state *s, size_t i, lk_repeats repeats,
                          lk_arena *arena, lk_err *e)
{
    d->of_state[i] = LK_NEW(arena, uint32_t, s->sources.count + 1);
    if (!d->of_state[i])
        return lk_fail(e, LK_EOOM, "no memory for the inputs of '%s'", s->path);
    for (size_t k = 0; k < s->sources.count; k++)
        LK_TRY(source_of(d, s->sources.numbers[k], &d->of_state[i][k], e));
    return take_lines(d, s, repeats, arena, e);
}

/* ---- the order of sources ---- */

static int by_name(const source *a, const source *b)
{
    int order = strcmp(a->has_account ? a->account.name : "", b->has_account ? b->account.name : "");

    if (order)
        return order;
    if (a->account.at != b->account.at)
        return a->account.at < b->account.at ? -1 : 1;
    return 0;
}

/* As files stand in a report; parts of one file by their places in it; of parts of which nothing more
 * is known those first that end first. */
static int by_time(const void *pa, const void *pb)
{
    const source *a = *(source *const *)pa, *b = *(source *const *)pb;
    int order;

    if (a->file_first_ns != b->file_first_ns)
        return a->file_first_ns < b->file_first_ns ? -1 : 1;
    order = by_name(a, b);
    if (order)
        return order;
    if (a->account.last_ns != b->account.last_ns)
        return a->account.last_ns < b->account.last_ns ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static int by_place(const void *pa, const void *pb)
{
    const source *a = *(source *const *)pa, *b = *(source *const *)pb;
    int order = by_name(a, b);

    return order ? order : (a->number > b->number) - (a->number < b->number);
}

/* The parts of one file stand together, whatever the first instant of each. */
static void find_first(source **list, size_t count)
{
    for (size_t i = 0, to; i < count; i = to) {
        int64_t first_ns = LK_TIME_NONE;

        for (to = i; to < count && list[to]->account.at != UINT64_MAX && list[i]->has_account &&
                     list[to]->has_account && list[i]->account.at != UINT64_MAX &&
                     strcmp(list[to]->account.name, list[i]->account.name) == 0;
             to++)
            if (first_ns == LK_TIME_NONE)
                first_ns = list[to]->account.first_ns;
        if (to == i) {
            list[i]->file_first_ns = list[i]->has_account ? list[i]->account.first_ns : LK_TIME_NONE;
            to = i + 1;
            continue;
        }
        for (size_t k = i; k < to; k++)
            list[k]->file_first_ns = first_ns;
    }
}

static int by_identity(const void *pa, const void *pb)
{
    const source *a = *(source *const *)pa, *b = *(source *const *)pb;

    if (a->has_account != b->has_account)
        return a->has_account ? -1 : 1;
    if (a->account.identity != b->account.identity)
        return a->account.identity < b->account.identity ? -1 : 1;
    return by_place(pa, pb);
}

static bool are_of_one_file(const lk_source_account *a, const lk_source_account *b)
{
    return a->at != UINT64_MAX && b->at != UINT64_MAX && strcmp(a->name, b->name) == 0;
}

/* The same input under two names, or read by two tasks; two places of one log may have the same lines. */
static lk_code find_repeats(lk_dictionary *d, source **list, lk_repeats repeats, lk_err *e)
{
    if (repeats == LK_REPEATS_KEPT)
        return LK_OK;
    if (d->source_count)
        qsort(list, d->source_count, sizeof(*list), by_identity);
    for (size_t i = 1; i < d->source_count; i++) {
        const source *a = list[i - 1], *b = list[i];

        if (!b->has_account || !b->account.parsed || a->account.identity != b->account.identity ||
            are_of_one_file(&a->account, &b->account))
            continue;
        if (repeats == LK_REPEATS_REFUSED)
            return lk_fail(e, LK_EDATA,
                           "inputs '%s' and '%s' are the same: merge --once counts them once",
                           a->account.name, b->account.name);
        d->rank[b - d->sources] = UINT32_MAX;
    }
    return LK_OK;
}

/* How far the parts of a file before each had come. */
static void find_before(lk_dictionary *d)
{
    const source *last = NULL;
    int64_t newest_ns = LK_TIME_NONE;

    for (size_t i = 0; i < d->source_count; i++) {
        const source *x = &d->sources[d->of_rank[i]];

        d->before_ns[d->of_rank[i]] = LK_TIME_NONE;
        if (d->rank[d->of_rank[i]] == UINT32_MAX)
            continue;
        if (!last || !last->has_account || !x->has_account || !are_of_one_file(&last->account, &x->account))
            newest_ns = LK_TIME_NONE;
        d->before_ns[d->of_rank[i]] = newest_ns;
        if (x->has_account && x->account.newest_ns > newest_ns)
            newest_ns = x->account.newest_ns;
        last = x;
    }
}

static lk_code order_sources(lk_dictionary *d, lk_repeats repeats, lk_arena *arena, lk_err *e)
{
    source **list = LK_NEW(arena, source *, d->source_count + 1);
    uint32_t rank = 0;

    d->rank = LK_NEW(arena, uint32_t, d->source_count + 1);
    d->of_rank = LK_NEW(arena, uint32_t, d->source_count + 1);
    d->before_ns = LK_NEW(arena, int64_t, d->source_count + 1);
    if (!list || !d->rank || !d->of_rank || !d->before_ns)
        return lk_fail(e, LK_EOOM, "no memory for %zu inputs", d->source_count);
    for (size_t i = 0; i < d->source_count; i++)
        list[i] = &d->sources[i];
    LK_TRY(find_repeats(d, list, repeats, e));
    if (!d->source_count)
        return LK_OK;
    qsort(list, d->source_count, sizeof(*list), by_place);
    find_first(list, d->source_count);
    qsort(list, d->source_count, sizeof(*list), by_time);
    for (size_t i = 0; i < d->source_count; i++) {
        uint32_t index = (uint32_t)(list[i] - d->sources);

        d->of_rank[i] = index;
        if (d->rank[index] != UINT32_MAX)
            d->rank[index] = rank++;
    }
    find_before(d);
    return LK_OK;
}

lk_code lk_dictionary_open(lk_dictionary *d, const lk_state *states, size_t count,
                           lk_repeats repeats, lk_arena *arena, lk_err *e)
{
    *d = (lk_dictionary){ 0 };
    d->of_state = LK_NEW(arena, uint32_t *, count + 1);
    if (!d->of_state)
        return lk_fail(e, LK_EOOM, "no memory for %zu states", count);
    for (size_t i = 0; i < count; i++)
        LK_TRY(take_state(d, &states[i], i, repeats, arena, e));
    return order_sources(d, repeats, arena, e);
}

void lk_dictionary_close(lk_dictionary *d)
{
    for (size_t i = 0; i < d->source_count; i++) {
        free(d->sources[i].shapes.items);
        free(d->sources[i].whats.items);
        free(d->sources[i].callers.items);
        free(d->sources[i].populations.items);
        free(d->sources[i].targets.items);
    }
    free(d->sources);
    free(d->populations);
    free(d->targets);
    lk_state_sources_release(&d->index);
    *d = (lk_dictionary){ 0 };
}

const lk_source_account *lk_dictionary_account(const lk_dictionary *d, size_t i)
{
    return d->sources[i].has_account ? &d->sources[i].account : NULL;
}

uint64_t lk_dictionary_number(const lk_dictionary *d, size_t i)
{
    return d->sources[i].number;
}

/* ---- checks ---- */

/* Options stand a line each. */
static void say_options(const char *options, char to[60])
{
    size_t len = strlen(options);

    len = len < 59 ? len : 59;
    memcpy(to, options, len);
    to[len] = '\0';
    for (size_t i = 0; i < len; i++)
        if (to[i] == '\n')
            to[i] = ' ';
    if (len && to[len - 1] == ' ')
        to[len - 1] = '\0';
}

static lk_code different_options(const lk_source_account *a, const lk_source_account *b, lk_err *e)
{
    char of_a[60], of_b[60];

    say_options(a->options, of_a);
    say_options(b->options, of_b);
    return lk_fail(e, LK_EDATA, "inputs were read with different options: '%.40s' with %s, '%.40s' with %s",
                   a->name, of_a[0] ? of_a : "none", b->name, of_b[0] ? of_b : "none");
}

/* Lines of one format; those that tell of none say nothing. */
static bool are_unlike(const lk_source_account *a, const lk_source_account *b)
{
    return a->parsed && b->parsed && strcmp(a->format, b->format) == 0 && a->layout != b->layout;
}

lk_code lk_dictionary_check_reading(const lk_dictionary *d, lk_err *e)
{
    const lk_source_account *first = NULL, *before = NULL;

    for (size_t i = 0; i < d->source_count; i++) {
        const lk_source_account *a = lk_dictionary_account(d, d->of_rank[i]);

        if (!a)
            continue;
        if (first && strcmp(a->options, first->options) != 0)
            return different_options(first, a, e);
        if (before && are_of_one_file(before, a) && are_unlike(before, a))
            return lk_fail(e, LK_EDATA,
                           "the parts of '%.80s' at %llu and %llu were read in different ways: map "
                           "--like '%.80s' reads all as the whole is",
                           a->name, (unsigned long long)before->at, (unsigned long long)a->at,
                           a->name);
        first = first ? first : a;
        before = a->parsed ? a : before;
    }
    return LK_OK;
}

bool lk_dictionary_find_unlike(const lk_dictionary *d, const lk_source_account **a,
                               const lk_source_account **b)
{
    *a = NULL;
    for (size_t i = 0; i < d->source_count; i++) {
        *b = lk_dictionary_account(d, d->of_rank[i]);
        if (*a && *b && are_unlike(*a, *b))
            return true;
        if (*b && (*b)->parsed)
            *a = *b;
    }
    return false;
}

lk_code lk_dictionary_check_counts(const lk_dictionary *d, const uint64_t *seen, bool more_only,
                                   lk_err *e)
{
    for (size_t i = 0; i < d->source_count; i++) {
        const lk_source_account *a = lk_dictionary_account(d, i);

        if (!a && !more_only)
            return lk_fail(e, LK_EDATA,
                           "a state is missing: %llu attempts are of an input whose account is in none",
                           (unsigned long long)seen[i]);
        if (!a || d->rank[i] == UINT32_MAX)
            continue;
        if (seen[i] > a->attempts)
            return lk_fail(e, LK_EDATA,
                           "%llu attempts of '%s', which has %llu: some are there twice; merge "
                           "--once counts them once",
                           (unsigned long long)seen[i], a->name, (unsigned long long)a->attempts);
        if (seen[i] < a->attempts && !more_only)
            return lk_fail(e, LK_EDATA,
                           "a state is missing: %llu of the %llu attempts of '%s' are in none",
                           (unsigned long long)(a->attempts - seen[i]),
                           (unsigned long long)a->attempts, a->name);
    }
    return LK_OK;
}

/* ---- symbols ---- */

static int by_hash(const void *pa, const void *pb)
{
    const struct lk_symbol_hash *a = pa, *b = pb;

    return (a->hash > b->hash) - (a->hash < b->hash);
}

static lk_code index_hashes(const lk_intern *t, struct lk_symbol_hash **out, size_t *count,
                            lk_err *e)
{
    *out = calloc(t->count + 1, sizeof(**out));
    if (!*out)
        return lk_fail(e, LK_EOOM, "no memory for %zu strings", t->count);
    for (uint32_t i = 0; i < t->count; i++) {
        lk_slice text = lk_intern_text(t, i);

        (*out)[i] = (struct lk_symbol_hash){ lk_hash(text.len ? text.p : "", text.len), i };
    }
    *count = t->count;
    qsort(*out, *count, sizeof(**out), by_hash);
    return LK_OK;
}

/* Of several logs always the one is read on that has come least far, the first of them where that is the same. */
static int by_reading(const void *pa, const void *pb)
{
    const symbol *a = *(symbol *const *)pa, *b = *(symbol *const *)pb;

    if (a->reached_ns != b->reached_ns)
        return a->reached_ns < b->reached_ns ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a > b) - (a < b); /* of one table */
}

static lk_code number_symbol(symbol *s, lk_intern *all, lk_err *e)
{
    char text[TEXT_MAX];
    size_t len;

    if (!s->text.p || !lk_record_unescape(s->text, text, sizeof(text), &len))
        return lk_fail(e, LK_EDATA,
                       "a state is missing, or damaged: a string that records name is in none");
    return lk_intern_id(all, (lk_slice){ text, len }, &s->number, e);
}

static table *table_of(source *x, bool targets)
{
    return targets ? &x->targets : &x->populations;
}

/* The strings of all sources in the order in which one process would have read them. */
static lk_code list_symbols(const lk_dictionary *d, bool targets, symbol ***out, size_t *count, lk_err *e)
{
    size_t total = 0;

    for (size_t i = 0; i < d->source_count; i++)
        total += table_of(&d->sources[i], targets)->count;
    *out = calloc(total + 1, sizeof(symbol *));
    *count = 0;
    if (!*out)
        return lk_fail(e, LK_EOOM, "no memory for %zu strings", total);
    for (size_t i = 0; i < d->source_count; i++) {
        const int64_t before_ns = d->before_ns[i];
        const table *t = table_of(&d->sources[i], targets);
        symbol *items = t->items;

        for (size_t k = 0; d->rank[i] != UINT32_MAX && k < t->count; k++) {
            items[k].rank = d->rank[i];
            if (items[k].reached_ns < before_ns)
                items[k].reached_ns = before_ns;
            (*out)[(*count)++] = &items[k];
        }
    }
    return LK_OK;
}

static lk_code number_all(lk_dictionary *d, bool targets, lk_intern *all, lk_err *e)
{
    symbol **list;
    size_t count;
    lk_code code;

    LK_TRY(list_symbols(d, targets, &list, &count, e));
    if (count)
        qsort(list, count, sizeof(*list), by_reading);
    code = LK_OK;
    for (size_t i = 0; i < count && code == LK_OK; i++)
        code = number_symbol(list[i], all, e);
    free(list);
    return code;
}

lk_code lk_dictionary_number_symbols(lk_dictionary *d, lk_symbols *symbols, lk_err *e)
{
    d->symbols = symbols;
    LK_TRY(number_all(d, false, &symbols->populations, e));
    LK_TRY(number_all(d, true, &symbols->targets, e));
    d->folded[0] = symbols->populations.folded;
    d->folded[1] = symbols->targets.folded;
    LK_TRY(index_hashes(&symbols->populations, &d->populations, &d->population_count, e));
    return index_hashes(&symbols->targets, &d->targets, &d->target_count, e);
}

/* ---- attempts ---- */

/* The number of a string that its source had no number for; where nobody has one it is past the bound. */
static uint32_t number_of_hash(const struct lk_symbol_hash *list, size_t count, uint64_t hash,
                               lk_intern *all)
{
    const struct lk_symbol_hash wanted = { hash, 0 };
    const struct lk_symbol_hash *found = bsearch(&wanted, list, count, sizeof(wanted), by_hash);

    if (found)
        return found->number;
    lk_intern_fold(all, hash); /* whole lines are counted, see count_folded */
    return (uint32_t)all->max;
}

static bool take_population(const lk_dictionary *d, const source *x, bool is_hash, const char **p,
                            const char *end, uint32_t *out)
{
    uint64_t value;

    if (is_hash) {
        if (!lk_digits_get(p, end, LK_DIGITS_64, &value))
            return false;
        *out = number_of_hash(d->populations, d->population_count, value, &d->symbols->populations);
        return true;
    }
    if (!lk_varint_get(p, end, &value) || value >= x->populations.count)
        return false;
    *out = ((const symbol *)x->populations.items)[value].number;
    return true;
}

static bool target_number(const lk_dictionary *d, const source *x, uint64_t value, bool is_hash,
                          uint32_t *out)
{
    if (is_hash) {
        *out = number_of_hash(d->targets, d->target_count, value, &d->symbols->targets);
        return true;
    }
    if (value >= x->targets.count)
        return false;
    *out = ((const symbol *)x->targets.items)[value].number;
    return true;
}

static bool take_kind(const lk_dictionary *d, const source *x, const lk_shape *s, const char **p,
                      const char *end, uint64_t *hash, uint32_t *target)
{
    uint64_t value;

    if (s->what_is_numbered) {
        const what *w = x->whats.items;

        if (!lk_varint_get(p, end, &value) || value >= x->whats.count || !w[value].is_there)
            return false;
        *hash = w[value].hash;
        return target_number(d, x, w[value].target, w[value].target_is_hash, target);
    }
    if (!lk_digits_get(p, end, LK_DIGITS_64, hash) ||
        (s->target_is_hash ? !lk_digits_get(p, end, LK_DIGITS_64, &value)
                           : !lk_varint_get(p, end, &value)))
        return false;
    return target_number(d, x, value, s->target_is_hash, target);
}

static bool take_whose(const source *x, const lk_shape *s, uint64_t key, uint64_t kind,
                       const char **p, const char *end, uint64_t *out)
{
    uint64_t value;

    switch ((lk_shape_caller)s->caller) {
    case LK_CALLER_BY_KEY: *out = lk_hash_unmix(key) ^ lk_hash_mix(kind); return true;
    case LK_CALLER_WHOLE: return lk_digits_get(p, end, LK_DIGITS_64, out);
    case LK_CALLER_NUMBERED: break;
    }
    if (!lk_varint_get(p, end, &value) || value >= x->callers.count ||
        !((const caller *)x->callers.items)[value].is_there)
        return false;
    *out = ((const caller *)x->callers.items)[value].hash;
    return true;
}

static bool take_in_unit(const char **p, const char *end, uint8_t unit, int64_t *ns)
{
    static const int64_t UNITS[] = { 0, LK_NS_PER_MS, 1000 };
    uint64_t value;

    *ns = 0;
    if (unit == 0)
        return true;
    if (!lk_varint_get(p, end, &value))
        return false;
    if (unit == 3)
        *ns = lk_zigzag_back(value);
    else if (value > (uint64_t)(INT64_MAX / UNITS[unit]))
        return false;
    else
        *ns = (int64_t)value * UNITS[unit];
    return true;
}

static bool take_int(const char **p, const char *end, bool is_there, int32_t *out)
{
    uint64_t value;
    int64_t number;

    *out = 0;
    if (!is_there)
        return true;
    if (!lk_varint_get(p, end, &value))
        return false;
    number = lk_zigzag_back(value);
    *out = (int32_t)number;
    return number >= INT32_MIN && number <= INT32_MAX;
}

/* An instant some way from one that a record may have; false: that belongs to no log. */
static bool shift(int64_t at_ns, int64_t by_ns, int64_t *out)
{
    if (by_ns < 0 ? at_ns < INT64_MIN - by_ns : at_ns > INT64_MAX - by_ns)
        return false;
    *out = at_ns + by_ns;
    return lk_record_has_instant(*out);
}

/* How long a client was asked to wait: at most to the last instant that a date can name. */
static bool take_wait(const lk_shape *s, const char **p, const char *end, lk_attempt *out)
{
    out->retry_after_ns = -1;
    if (!s->waits)
        return true;
    return take_in_unit(p, end, s->wait_unit, &out->retry_after_ns) && out->retry_after_ns >= 0 &&
           out->retry_after_ns <= INT64_MAX - (out->end_ns > 0 ? out->end_ns : 0);
}

static bool take_times(const lk_shape *s, const char **p, const char *end, lk_attempt *out)
{
    int64_t took_ns;
    uint64_t value;

    if (!take_in_unit(p, end, s->end_unit, &took_ns) || took_ns < 0 ||
        took_ns > LK_RECORD_TOOK_MAX_NS || !shift(out->start_ns, took_ns, &out->end_ns))
        return false;
    out->stamp_ns = s->stamp_is ? out->end_ns : out->start_ns;
    if (s->stamp_is == 2 && (!lk_varint_get(p, end, &value) ||
                             !shift(out->start_ns, lk_zigzag_back(value), &out->stamp_ns)))
        return false;
    return take_wait(s, p, end, out);
}

static void set_flags(const lk_shape *s, lk_attempt *out)
{
    out->status = s->status;
    out->failed = s->failed;
    out->rejected = s->rejected;
    out->gave_up = s->gave_up;
    out->fraction = s->fraction;
    out->has_took = s->has_took;
    out->has_asked = s->has_asked;
    out->moment = s->moment;
    out->asked_form = s->asked_form;
    out->call_ids = s->call_ids;
    out->task_ids = s->task_ids;
    out->try_no = 1;
}

static bool take_ids(const lk_shape *s, uint64_t key, const char **p, const char *end, lk_attempt *out)
{
    for (uint8_t i = 0; i < LK_IDS; i++) {
        out->id[i] = i + 1 == s->key_is ? key : 0;
        if (s->ids >> i & 1 && i + 1 != s->key_is &&
            !lk_digits_get(p, end, LK_DIGITS_64, &out->id[i]))
            return false;
    }
    return true;
}

static bool take_try(const lk_shape *s, const char **p, const char *end, lk_attempt *out)
{
    uint64_t no;

    if (!s->is_try)
        return true;
    if (!lk_varint_get(p, end, &no) || no < 1 || no > LK_TRIES_MAX ||
        !lk_digits_get(p, end, LK_DIGITS_64, &out->request) || !out->request)
        return false;
    out->try_no = (uint16_t)no;
    return true;
}

/* The shape of an attempt, which may stand in the record itself: then in *room.  NULL: there is none. */
static const lk_shape *take_own_shape(const source *x, const char **p, const char *end, lk_shape *room)
{
    const shape *shapes = x->shapes.items;
    uint64_t number, bits;

    if (!lk_varint_get(p, end, &number))
        return NULL;
    if (number < x->shapes.count)
        return shapes[number].is_there ? &shapes[number].shape : NULL;
    return number == LK_SHAPE_WHOLE && lk_digits_get(p, end, LK_DIGITS_64, &bits) && lk_shape_unpack(bits, room)
               ? room
               : NULL;
}

static bool take_attempt(const lk_dictionary *d, const lk_state_entry *entry, lk_attempt *out)
{
    const source *x = &d->sources[entry->source];
    const char *p = entry->rest.p, *end = p + entry->rest.len;
    const lk_shape *s;
    lk_shape room;
    uint64_t number, kind;

    *out = (lk_attempt){ .start_ns = entry->turn_ns };
    if (!lk_record_has_instant(entry->turn_ns) || !(s = take_own_shape(x, &p, end, &room)))
        return false;
    set_flags(s, out);
    if (s->is_late && (!lk_varint_get(&p, end, &number) ||
                       !shift(entry->turn_ns, lk_zigzag_back(number), &out->start_ns)))
        return false;
    if (!take_population(d, x, s->population_is_hash, &p, end, &out->population) ||
        !take_kind(d, x, s, &p, end, &kind, &out->target) ||
        !take_whose(x, s, entry->key, kind, &p, end, &out->caller) ||
        !take_ids(s, entry->key, &p, end, out))
        return false;
    out->key = s->key_is ? lk_hash_mix(out->caller ^ lk_hash_mix(kind)) : entry->key;
    return take_int(&p, end, s->has_no, &out->attempt_no) &&
           take_int(&p, end, s->has_max, &out->attempt_max) && take_times(s, &p, end, out) &&
           take_try(s, &p, end, out) && p == end;
}

/* A string past the bound came by, with the first of a line's tries. */
static void count_folded(const lk_dictionary *d, const lk_attempt *a)
{
    if (a->try_no > 1)
        return;
    d->symbols->populations.folded += a->population == d->symbols->populations.max;
    d->symbols->targets.folded += a->target == d->symbols->targets.max;
}

void lk_dictionary_end(lk_dictionary *d)
{
    d->symbols->populations.folded -= d->folded[0];
    d->symbols->targets.folded -= d->folded[1];
}

bool lk_dictionary_is_first(const lk_dictionary *d, uint32_t from, lk_slice rest)
{
    const char *p = rest.p;
    lk_shape room;
    const lk_shape *s = take_own_shape(&d->sources[from], &p, rest.p + rest.len, &room);

    return s && s->is_first;
}

lk_code lk_dictionary_attempt(const lk_dictionary *d, const lk_state_entry *entry, lk_attempt *out,
                              lk_err *e)
{
    if (take_attempt(d, entry, out)) {
        count_folded(d, out);
        return LK_OK;
    }
    return lk_fail(e, LK_EDATA, "an attempt of '%s' is damaged, or names what no dictionary line says",
                   d->sources[entry->source].has_account ? d->sources[entry->source].account.name
                                                         : "an input without an account");
}
