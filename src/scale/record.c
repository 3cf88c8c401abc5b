#include "scale/record.h"

#include "base/hash.h"
#include "base/time.h"
#include "scale/numbers.h"

#include <stdlib.h>
#include <string.h>

#define TIME_BIAS_S (INT64_C(1) << 35)
static const char RESERVED_HEAD[] = LK_KEY_RESERVED "\t------\t";

enum { SYMBOL_LINE = 3 * 512 + 64 };

struct lk_recorder {
    uint64_t source, attempts;
    const lk_symbols *symbols;
    lk_record_sink *sink;
    void *ctx;
    lk_numbers shapes, whats, callers;
    uint32_t populations, targets;           /* symbols that were sent */
    uint32_t populations_seen, targets_seen; /* ... that have an instant */
    int64_t population_ns[LK_POPULATIONS_MAX], target_ns[LK_TARGETS_MAX];
    uint64_t last_shape;
    uint32_t last_number; /* of that shape */
    bool knows_last;
};

/* ---- shapes ---- */

typedef struct packer {
    uint64_t bits;
    unsigned at;
} packer;

static void put_bits(packer *p, uint64_t value, unsigned count)
{
    p->bits |= (value & ((UINT64_C(1) << count) - 1)) << p->at;
    p->at += count;
}

static uint64_t take_bits(packer *p, unsigned count)
{
    uint64_t value = p->bits >> p->at & ((UINT64_C(1) << count) - 1);

    p->at += count;
    return value;
}

uint64_t lk_shape_pack(const lk_shape *s)
{
    packer p = { 0, 0 };

    put_bits(&p, s->status, 10);
    put_bits(&p, s->failed, 1);
    put_bits(&p, s->rejected, 1);
    put_bits(&p, s->gave_up, 1);
    put_bits(&p, s->fraction, 1);
    put_bits(&p, s->has_took, 1);
    put_bits(&p, s->has_asked, 1);
    put_bits(&p, s->is_try, 1);
    put_bits(&p, s->is_late, 1);
    put_bits(&p, s->is_first, 1);
    put_bits(&p, s->has_no, 1);
    put_bits(&p, s->has_max, 1);
    put_bits(&p, s->waits, 1);
    put_bits(&p, s->what_is_numbered, 1);
    put_bits(&p, s->target_is_hash, 1);
    put_bits(&p, s->population_is_hash, 1);
    put_bits(&p, s->moment, 2);
    put_bits(&p, s->asked_form, 4);
    put_bits(&p, s->call_ids, LK_IDS);
    put_bits(&p, s->task_ids, LK_IDS);
    put_bits(&p, s->ids, LK_IDS);
    put_bits(&p, s->key_is, 3);
    put_bits(&p, s->caller, 2);
    put_bits(&p, s->stamp_is, 2);
    put_bits(&p, s->end_unit, 2);
    put_bits(&p, s->wait_unit, 2);
    return p.bits;
}

bool lk_shape_unpack(uint64_t bits, lk_shape *out)
{
    packer p = { bits, 0 };

    out->status = (uint16_t)take_bits(&p, 10);
    out->failed = take_bits(&p, 1);
    out->rejected = take_bits(&p, 1);
    out->gave_up = take_bits(&p, 1);
    out->fraction = take_bits(&p, 1);
    out->has_took = take_bits(&p, 1);
    out->has_asked = take_bits(&p, 1);
    out->is_try = take_bits(&p, 1);
    out->is_late = take_bits(&p, 1);
    out->is_first = take_bits(&p, 1);
    out->has_no = take_bits(&p, 1);
    out->has_max = take_bits(&p, 1);
    out->waits = take_bits(&p, 1);
    out->what_is_numbered = take_bits(&p, 1);
    out->target_is_hash = take_bits(&p, 1);
    out->population_is_hash = take_bits(&p, 1);
    out->moment = (uint8_t)take_bits(&p, 2);
    out->asked_form = (uint8_t)take_bits(&p, 4);
    out->call_ids = (uint8_t)take_bits(&p, LK_IDS);
    out->task_ids = (uint8_t)take_bits(&p, LK_IDS);
    out->ids = (uint8_t)take_bits(&p, LK_IDS);
    out->key_is = (uint8_t)take_bits(&p, 3);
    out->caller = (uint8_t)take_bits(&p, 2);
    out->stamp_is = (uint8_t)take_bits(&p, 2);
    out->end_unit = (uint8_t)take_bits(&p, 2);
    out->wait_unit = (uint8_t)take_bits(&p, 2);
    return out->status <= LK_STATUS_UNKNOWN && out->moment <= LK_MOMENT_END &&
           out->asked_form < LK_ASKED_FORMS && out->key_is <= LK_IDS &&
           (out->key_is == 0 || out->ids >> (out->key_is - 1) & 1) &&
           out->caller <= LK_CALLER_WHOLE && (out->caller != LK_CALLER_BY_KEY || !out->key_is) &&
           (out->is_late || !out->is_first) && out->stamp_is <= 2 && bits >> p.at == 0;
}

/* ---- texts ---- */

static bool is_plain(unsigned char c)
{
    return c > ' ' && c < 0x7f && c != '%' && c != '=' && c != ',';
}

size_t lk_record_escape(lk_slice text, char *to)
{
    static const char HEX[] = "0123456789ABCDEF";
    char *p = to;

    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.p[i];

        if (is_plain(c)) {
            *p++ = (char)c;
        } else {
            *p++ = '%';
            *p++ = HEX[c >> 4];
            *p++ = HEX[c & 15];
        }
    }
    return (size_t)(p - to);
}

static int hex_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool lk_record_unescape(lk_slice text, char *to, size_t max, size_t *len)
{
    *len = 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.p[i];

        if (*len == max)
            return false;
        if (c == '%') {
            int high = i + 2 < text.len ? hex_of(text.p[i + 1]) : -1;
            int low = high >= 0 ? hex_of(text.p[i + 2]) : -1;

            if (low < 0)
                return false;
            c = (char)(high << 4 | low);
            i += 2;
        }
        to[(*len)++] = c;
    }
    return true;
}

/* ---- writing ---- */

lk_code lk_recorder_open(uint64_t source, const lk_symbols *symbols, lk_record_sink *sink, void *ctx,
                         lk_recorder **out, lk_err *e)
{
    lk_recorder *r = calloc(1, sizeof(*r));

    if (!r)
        return lk_fail(e, LK_EOOM, "no memory to write attempts");
    *out = r;
    r->source = source;
    r->symbols = symbols;
    r->sink = sink;
    r->ctx = ctx;
    LK_TRY(lk_numbers_init(&r->shapes, symbols->populations.seed, e));
    LK_TRY(lk_numbers_init(&r->whats, symbols->populations.seed, e));
    return lk_numbers_init(&r->callers, symbols->populations.seed, e);
}

void lk_recorder_close(lk_recorder *r)
{
    if (!r)
        return;
    lk_numbers_release(&r->shapes);
    lk_numbers_release(&r->whats);
    lk_numbers_release(&r->callers);
    free(r);
}

uint64_t lk_recorder_attempts(const lk_recorder *r)
{
    return r->attempts;
}

static char *begin_reserved(const lk_recorder *r, lk_record_kind kind, char *to)
{
    memcpy(to, RESERVED_HEAD, sizeof(RESERVED_HEAD) - 1);
    to += sizeof(RESERVED_HEAD) - 1;
    *to++ = (char)kind;
    return lk_digits_put(to, r->source, LK_SOURCE_DIGITS);
}

static lk_code send_reserved(const lk_recorder *r, char *line, char *end, lk_err *e)
{
    *end++ = '\n';
    return r->sink(r->ctx, 0, true, line, (size_t)(end - line), e);
}

static void date(int64_t *list, uint32_t *seen, const lk_intern *table, int64_t reached_ns)
{
    while (*seen < table->count)
        list[(*seen)++] = reached_ns;
}

void lk_recorder_saw(lk_recorder *r, int64_t reached_ns)
{
    date(r->population_ns, &r->populations_seen, &r->symbols->populations, reached_ns);
    date(r->target_ns, &r->targets_seen, &r->symbols->targets, reached_ns);
}

static lk_code send_symbols(const lk_recorder *r, lk_record_kind kind, const lk_intern *table,
                            const int64_t *list, uint32_t *sent, lk_err *e)
{
    for (; *sent < table->count; ++*sent) {
        char line[SYMBOL_LINE], *p = begin_reserved(r, kind, line);

        p = lk_record_put_time(lk_varint_put(p, *sent), list[*sent]);
        *p++ = ' ';
        p += lk_record_escape(lk_intern_text(table, *sent), p);
        LK_TRY(send_reserved(r, line, p, e));
    }
    return LK_OK;
}

/* What was new on the line that the attempt comes of. */
static lk_code send_new_symbols(lk_recorder *r, lk_err *e)
{
    const lk_symbols *s = r->symbols;

    if (r->populations < s->populations.count)
        LK_TRY(send_symbols(r, LK_RECORD_POPULATION, &s->populations, r->population_ns, &r->populations, e));
    if (r->targets < s->targets.count)
        LK_TRY(send_symbols(r, LK_RECORD_TARGET, &s->targets, r->target_ns, &r->targets, e));
    return LK_OK;
}

static uint8_t unit_of(int64_t ns)
{
    if (ns == 0)
        return 0;
    if (ns < 0)
        return 3;
    return ns % LK_NS_PER_MS == 0 ? 1 : ns % 1000 == 0 ? 2 : 3;
}

static char *put_in_unit(char *p, int64_t ns, uint8_t unit)
{
    switch (unit) {
    case 1: return lk_varint_put(p, (uint64_t)(ns / LK_NS_PER_MS));
    case 2: return lk_varint_put(p, (uint64_t)(ns / 1000));
    case 3: return lk_varint_put(p, lk_zigzag(ns));
    }
    return p;
}

char *lk_record_put_time(char *p, int64_t ns)
{
    const int64_t s = ns / LK_NS_PER_S - (ns % LK_NS_PER_S < 0);
    int64_t rest;

    if (ns == LK_TIME_NONE)
        return lk_digits_put(p, 0, 6);
    rest = ns - s * LK_NS_PER_S;
    p = lk_digits_put(p, (uint64_t)(s + TIME_BIAS_S), 6);
    if (rest)
        p = lk_digits_put(p, (uint64_t)(rest / LK_NS_PER_MS), 2);
    return rest % LK_NS_PER_MS ? lk_digits_put(p, (uint64_t)(rest % LK_NS_PER_MS), 4) : p;
}

/* The id that links the attempt, from 1; 0 = its key does. */
static uint8_t linking_id(const lk_attempt *a)
{
    for (uint8_t i = 0; i < LK_IDS; i++)
        if (a->id[i] && a->call_ids >> i & 1)
            return (uint8_t)(i + 1);
    return 0;
}

/* The hash of method and target that is in the key. */
static uint64_t what_of(const lk_attempt *a)
{
    return lk_hash_unmix(lk_hash_unmix(a->key) ^ a->caller);
}

static lk_shape shape_of(const lk_recorder *r, const lk_attempt *a)
{
    lk_shape s = {
        .status = a->status,
        .failed = a->failed,
        .rejected = a->rejected,
        .gave_up = a->gave_up,
        .fraction = a->fraction,
        .has_took = a->has_took,
        .has_asked = a->has_asked,
        .is_try = a->request != 0,
        .has_no = a->attempt_no != 0,
        .has_max = a->attempt_max != 0,
        .waits = a->retry_after_ns >= 0,
        .target_is_hash = a->target >= r->symbols->targets.max,
        .population_is_hash = a->population >= r->symbols->populations.max,
        .moment = a->moment,
        .asked_form = a->asked_form,
        .call_ids = a->call_ids,
        .task_ids = a->task_ids,
        .key_is = linking_id(a),
        .stamp_is = a->stamp_ns == a->start_ns ? 0 : a->stamp_ns == a->end_ns ? 1 : 2,
        .end_unit = unit_of(a->end_ns - a->start_ns),
    };

    if (s.waits)
        s.wait_unit = a->retry_after_ns ? unit_of(a->retry_after_ns) : 1;
    for (size_t i = 0; i < LK_IDS; i++)
        s.ids |= (uint8_t)((a->id[i] != 0) << i);
    return s;
}

/* The number of a value, which is sent with its first use; *known false: it has none. */
static lk_code number_of(const lk_recorder *r, lk_numbers *n, lk_record_kind kind, uint64_t value,
                         bool *known, uint32_t *number, lk_err *e)
{
    char line[128], *p;
    lk_numbered how;

    LK_TRY(lk_numbers_find(n, value, &how, number, e));
    *known = how != LK_NUMBERED_NOT;
    if (how != LK_NUMBERED_NOW)
        return LK_OK;
    p = lk_varint_put(begin_reserved(r, kind, line), *number);
    return send_reserved(r, line, lk_digits_put(p, value, LK_DIGITS_64), e);
}

/* A shape has a number the first time already: there are few.  LK_SHAPE_WHOLE: it has none. */
static lk_code shape_number(lk_recorder *r, uint64_t bits, uint32_t *number, lk_err *e)
{
    bool known = r->knows_last && r->last_shape == bits;

    if (known) {
        *number = r->last_number;
        return LK_OK;
    }
    for (int i = 0; i < 2 && !known; i++) /* the second time gives a number */
        LK_TRY(number_of(r, &r->shapes, LK_RECORD_SHAPE, bits, &known, number, e));
    if (!known) {
        *number = LK_SHAPE_WHOLE;
        return LK_OK;
    }
    r->last_shape = bits;
    r->last_number = *number;
    r->knows_last = true;
    return LK_OK;
}

/* By its number, or where it stands for many by their hash. */
static char *put_symbol(char *p, uint32_t symbol, bool is_hash, uint64_t hash)
{
    return is_hash ? lk_digits_put(p, hash, LK_DIGITS_64) : lk_varint_put(p, symbol);
}

/* The number of a kind of request: method and target together. */
static lk_code what_number(const lk_recorder *r, lk_numbers *n, const lk_attempt *a, uint64_t what,
                           bool *known, uint32_t *number, lk_err *e)
{
    char line[128], *p;
    lk_numbered how;

    LK_TRY(lk_numbers_find(n, what, &how, number, e));
    *known = how != LK_NUMBERED_NOT;
    if (how != LK_NUMBERED_NOW)
        return LK_OK;
    p = lk_varint_put(begin_reserved(r, LK_RECORD_WHAT, line), *number);
    p = lk_digits_put(p, what, LK_DIGITS_64);
    p = put_symbol(p, a->target, a->target >= r->symbols->targets.max, r->symbols->folded_target);
    return send_reserved(r, line, p, e);
}

static char *put_rest(char *p, const lk_attempt *a, const lk_shape *s)
{
    for (size_t i = 0; i < LK_IDS; i++)
        if (a->id[i] && i + 1 != s->key_is)
            p = lk_digits_put(p, a->id[i], LK_DIGITS_64);
    if (s->has_no)
        p = lk_varint_put(p, lk_zigzag(a->attempt_no));
    if (s->has_max)
        p = lk_varint_put(p, lk_zigzag(a->attempt_max));
    p = put_in_unit(p, a->end_ns - a->start_ns, s->end_unit);
    if (s->stamp_is == 2)
        p = lk_varint_put(p, lk_zigzag(a->stamp_ns - a->start_ns));
    if (s->waits)
        p = put_in_unit(p, a->retry_after_ns, s->wait_unit);
    if (!s->is_try)
        return p;
    return lk_digits_put(lk_varint_put(p, a->try_no), a->request, LK_DIGITS_64);
}

lk_code lk_recorder_take(lk_recorder *r, const lk_attempt *a, lk_turn turn, lk_err *e)
{
    const uint64_t what = what_of(a);
    uint64_t bits;
    lk_shape s = shape_of(r, a);
    uint64_t key = s.key_is ? a->id[s.key_is - 1] : a->key;
    uint32_t what_no = 0, caller_no = 0, shape_no;
    char line[LK_RECORD_MAX], *p;
    bool known = false;

    LK_TRY(send_new_symbols(r, e));
    LK_TRY(what_number(r, &r->whats, a, what, &s.what_is_numbered, &what_no, e));
    s.target_is_hash &= !s.what_is_numbered;
    s.is_late = turn.at_ns != a->start_ns;
    s.is_first = s.is_late && turn.is_first;
    if (s.key_is) {
        LK_TRY(number_of(r, &r->callers, LK_RECORD_CALLER, a->caller, &known, &caller_no, e));
        s.caller = known ? LK_CALLER_NUMBERED : LK_CALLER_WHOLE;
    }
    bits = lk_shape_pack(&s);
    LK_TRY(shape_number(r, bits, &shape_no, e));
    p = lk_digits_put(line, key, LK_DIGITS_64);
    *p++ = '\t';
    p = lk_record_put_time(p, turn.at_ns);
    *p++ = '\t';
    p = lk_digits_put(p, r->source, LK_SOURCE_DIGITS);
    p = lk_varint_put(p, turn.ordinal);
    r->attempts++;
    p = lk_varint_put(p, shape_no);
    if (shape_no == LK_SHAPE_WHOLE)
        p = lk_digits_put(p, bits, LK_DIGITS_64);
    if (s.is_late)
        p = lk_varint_put(p, lk_zigzag(a->start_ns - turn.at_ns));
    p = put_symbol(p, a->population, s.population_is_hash, r->symbols->folded_population);
    if (s.what_is_numbered) {
        p = lk_varint_put(p, what_no);
    } else {
        p = lk_digits_put(p, what, LK_DIGITS_64);
        p = put_symbol(p, a->target, s.target_is_hash, r->symbols->folded_target);
    }
    if (s.caller == LK_CALLER_NUMBERED)
        p = lk_varint_put(p, caller_no);
    else if (s.caller == LK_CALLER_WHOLE)
        p = lk_digits_put(p, a->caller, LK_DIGITS_64);
    p = put_rest(p, a, &s);
    *p++ = '\n';
    return r->sink(r->ctx, key, false, line, (size_t)(p - line), e);
}

lk_code lk_recorder_end(lk_recorder *r, const char *row, lk_err *e)
{
    size_t len = strlen(row);
    char *line, *p;
    lk_code code;

    LK_TRY(send_new_symbols(r, e)); /* of lines that were filtered out */
    line = malloc(len + 64);
    if (!line)
        return lk_fail(e, LK_EOOM, "no memory for the account of an input");
    p = begin_reserved(r, LK_RECORD_SOURCE, line);
    *p++ = ' ';
    memcpy(p, row, len);
    code = send_reserved(r, line, p + len, e);
    free(line);
    return code;
}

/* ---- reading ---- */

bool lk_record_has_instant(int64_t at_ns)
{
    return at_ns >= -LK_RECORD_TOOK_MAX_NS && at_ns <= LK_STAMP_MAX_NS + LK_RECORD_TOOK_MAX_NS;
}

bool lk_record_time(lk_slice text, int64_t *ns)
{
    const char *p = text.p, *end = text.p + text.len;
    uint64_t s, ms = 0, rest = 0;
    int64_t at;

    if ((text.len != 6 && text.len != 8 && text.len != 12) || !lk_digits_get(&p, end, 6, &s) ||
        (p < end && !lk_digits_get(&p, end, 2, &ms)) ||
        (p < end && !lk_digits_get(&p, end, 4, &rest)) || ms >= 1000 || rest >= 1000000)
        return false;
    *ns = LK_TIME_NONE;
    if (s == 0 && text.len == 6)
        return true;
    at = (int64_t)s - TIME_BIAS_S;
    if (at > INT64_MAX / LK_NS_PER_S - 1 || at < INT64_MIN / LK_NS_PER_S + 1)
        return false;
    *ns = at * LK_NS_PER_S + (int64_t)ms * LK_NS_PER_MS + (int64_t)rest;
    return lk_record_has_instant(*ns);
}

bool lk_record_parse(lk_slice line, lk_record *out)
{
    const char *p = line.p, *end = line.p + line.len, *tab;

    if (line.len < LK_DIGITS_64 + 2 || line.p[LK_DIGITS_64] != '\t')
        return false;
    out->is_reserved = memcmp(p, LK_KEY_RESERVED, LK_DIGITS_64) == 0;
    out->key = 0;
    if (!out->is_reserved && !lk_digits_get(&p, end, LK_DIGITS_64, &out->key))
        return false;
    p = line.p + LK_DIGITS_64 + 1;
    tab = memchr(p, '\t', (size_t)(end - p));
    if (!tab)
        return false;
    if (!out->is_reserved && (!lk_record_time((lk_slice){ p, (size_t)(tab - p) }, &out->turn_ns) || out->turn_ns == LK_TIME_NONE))
        return false;
    p = tab + 1;
    if (!out->is_reserved && (!lk_digits_get(&p, end, LK_SOURCE_DIGITS, &out->source) ||
                              !lk_varint_get(&p, end, &out->ordinal)))
        return false;
    out->rest = (lk_slice){ p, (size_t)(end - p) };
    return out->rest.len > 0;
}
