#include "format/json_lines.h"

#include "base/time.h"
#include "format/request.h"
#include "format/rows.h"
#include "format/value.h"

#include <string.h>

/* How much of an unescaped string is kept; together less than LK_CACHE_TEXT. */
enum { SHORT_MAX = 64, ID_MAX = 256, LONG_MAX_LEN = 2048, STATUS_MAX = 999, COUNT_MAX = 1000000 };

/* ---- members to fields ---- */

void lk_jsonl_put(lk_jsonl *line, uint8_t row, lk_slice key, lk_jsonl_value value)
{
    lk_jsonl_field field = lk_jsonl_row_field(row);

    line->seen[row / 64] |= UINT64_C(1) << row % 64;
    value.row = row;
    if (field == LK_JSONL_ID) {
        if (line->id_count < LK_JSONL_IDS_MAX)
            line->ids[line->id_count++] = (lk_jsonl_id){ key, value };
        return;
    }
    if (!lk_value_is_absent(value.text) &&
        (!line->fields[field].text.p || row < line->fields[field].row))
        line->fields[field] = value;
}

static bool has(const lk_jsonl *line, lk_jsonl_field field)
{
    return line->fields[field].text.p != NULL;
}

static lk_slice text_of(lk_parse_cache *c, const lk_jsonl *line, lk_jsonl_field field, size_t max)
{
    return lk_jsonl_text(c, &line->fields[field], max);
}

static bool read_stamp_text(lk_slice text, int64_t *at_ns, bool *fraction)
{
    return lk_time_rfc3339(text, at_ns, fraction) || lk_time_clf(text, at_ns, fraction) ||
           lk_value_epoch(text, at_ns, fraction);
}

static bool read_stamp(lk_parse_cache *c, const lk_jsonl *line, lk_fields *out)
{
    if (has(line, LK_JSONL_MSEC) &&
        lk_value_epoch(text_of(c, line, LK_JSONL_MSEC, SHORT_MAX), &out->stamp_ns,
                       &out->fraction) &&
        lk_stamp_is_plausible(out->stamp_ns)) {
        out->fraction = true; /* $msec has milliseconds, be they 0 */
        out->moment = LK_MOMENT_END;
        return true;
    }
    return has(line, LK_JSONL_TIME) &&
           lk_cache_stamp(c, text_of(c, line, LK_JSONL_TIME, SHORT_MAX), read_stamp_text,
                          &out->stamp_ns, &out->fraction);
}

/* 200, "200" and 200.0 */
static bool read_count(lk_slice text, uint64_t max, int32_t *out)
{
    int64_t ns;

    if (lk_value_count(text, max, out))
        return true;
    if (!lk_value_seconds(text, &ns) || ns % LK_NS_PER_S != 0 || (uint64_t)(ns / LK_NS_PER_S) > max)
        return false;
    *out = (int32_t)(ns / LK_NS_PER_S);
    return true;
}

static void read_request(lk_parse_cache *c, const lk_jsonl *line, lk_fields *out)
{
    if (has(line, LK_JSONL_METHOD) || has(line, LK_JSONL_TARGET)) {
        out->method = text_of(c, line, LK_JSONL_METHOD, SHORT_MAX);
        out->target = lk_request_target(text_of(c, line, LK_JSONL_TARGET, LONG_MAX_LEN));
        return;
    }
    if (has(line, LK_JSONL_REQUEST))
        (void)lk_request_split(text_of(c, line, LK_JSONL_REQUEST, LONG_MAX_LEN), &out->method,
                               &out->target);
}

/* `unit` of the member's number in seconds: 1, or 1000 for milliseconds. */
static void read_seconds(lk_parse_cache *c, const lk_jsonl *line, lk_jsonl_field field,
                         int64_t unit, int64_t *out)
{
    int64_t value;

    if (*out < 0 && has(line, field) &&
        lk_value_seconds(text_of(c, line, field, SHORT_MAX), &value))
        *out = value / unit;
}

static void read_attempt(const lk_layout *l, lk_parse_cache *c, const lk_jsonl *line,
                         lk_fields *out)
{
    int32_t n;
    lk_slice text;

    if (has(line, LK_JSONL_ATTEMPT)) {
        text = text_of(c, line, LK_JSONL_ATTEMPT, ID_MAX);
        if (!lk_value_attempt(text, &out->attempt_no, &out->attempt_max) &&
            read_count(text, COUNT_MAX, &n))
            out->attempt_no = n + l->attempt_from_zero;
    }
    if (out->attempt_no == 0 && has(line, LK_JSONL_RETRIES) &&
        read_count(text_of(c, line, LK_JSONL_RETRIES, SHORT_MAX), COUNT_MAX, &n))
        out->attempt_no = n + 1;
}

static void read_ids(const lk_layout *l, lk_parse_cache *c, const lk_jsonl *line, lk_fields *out)
{
    for (size_t i = 0; i < line->id_count; i++) {
        const lk_jsonl_value *v = &line->ids[i].value;
        int8_t slot = l->key_slot[lk_jsonl_row_id(v->row)];

        if (slot < 0 || (size_t)slot >= l->id_count || out->id[slot].p ||
            lk_value_is_absent(v->text))
            continue;
        out->id[slot] = lk_jsonl_text(c, v, ID_MAX);
    }
}

static bool reject(lk_reject *why, lk_reject reason)
{
    *why = reason;
    return false;
}

/* Other JSON lines of a program have a time too, and some a status. */
static bool is_request(const lk_jsonl *line)
{
    return has(line, LK_JSONL_CALLER) || has(line, LK_JSONL_METHOD) || has(line, LK_JSONL_TARGET) ||
           has(line, LK_JSONL_REQUEST);
}

bool lk_jsonl_read(const lk_layout *l, lk_parse_cache *c, const lk_jsonl *line, lk_fields *out,
                   lk_reject *why)
{
    int32_t status;

    lk_fields_init(out);
    out->moment = l->format == &LK_FORMAT_JSON ? l->moment : LK_MOMENT_UNKNOWN;
    if (!is_request(line))
        return reject(why, LK_REJECT_UNRECOGNISED);
    if (!read_stamp(c, line, out))
        return reject(why, LK_REJECT_TIMESTAMP);
    if (!has(line, LK_JSONL_STATUS) ||
        !read_count(text_of(c, line, LK_JSONL_STATUS, SHORT_MAX), STATUS_MAX, &status))
        return reject(why, LK_REJECT_STATUS);
    out->status = (unsigned)status;
    out->caller = lk_caller_address(text_of(c, line, LK_JSONL_CALLER, ID_MAX));
    out->agent = text_of(c, line, LK_JSONL_AGENT, LONG_MAX_LEN);
    read_request(c, line, out);
    read_seconds(c, line, LK_JSONL_TOOK, 1, &out->took_ns);
    read_seconds(c, line, LK_JSONL_TOOK_MS, 1000, &out->took_ns);
    read_seconds(c, line, LK_JSONL_RETRY_AFTER, 1, &out->retry_after_ns);
    read_seconds(c, line, LK_JSONL_RETRY_AFTER_MS, 1000, &out->retry_after_ns);
    read_attempt(l, c, line, out);
    read_ids(l, c, line, out);
    return true;
}

static bool members(lk_parse_cache *c, lk_slice line, lk_jsonl *out, lk_reject *why)
{
    if (line.len == 0 || line.p[0] != '{')
        return reject(why, LK_REJECT_UNRECOGNISED);
    return lk_jsonl_scan(c, line, out) || lk_jsonl_tree(c, line, out) ||
           reject(why, LK_REJECT_JSON);
}

static bool parse_json(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_fields *out,
                       lk_reject *why)
{
    lk_jsonl found;

    return members(c, line, &found, why) && lk_jsonl_read(l, c, &found, out, why);
}

/* ---- the sniffer's view ---- */

static void keep_id_key(lk_sniffer *s, const lk_jsonl_id *id)
{
    char text[LK_ID_NAME_MAX], *kept = s->id_key[lk_jsonl_row_id(id->value.row)];

    if (id->key.len >= sizeof(text))
        return;
    memcpy(text, id->key.p, id->key.len);
    text[id->key.len] = '\0';
    if (kept[0] == '\0' || strcmp(text, kept) < 0)
        memcpy(kept, text, id->key.len + 1);
}

static void note_keys(lk_sniffer *s, const lk_jsonl *line)
{
    lk_slice attempt = line->fields[LK_JSONL_ATTEMPT].text;

    s->keys_seen[0] |= line->seen[0];
    s->keys_seen[1] |= line->seen[1];
    for (size_t i = 0; i < line->id_count; i++) {
        uint8_t row = line->ids[i].value.row;

        keep_id_key(s, &line->ids[i]);
        if (!lk_value_is_absent(line->ids[i].value.text))
            s->keys_used[row / 64] |= UINT64_C(1) << row % 64;
    }
    s->attempt_zeros += lk_slice_is(attempt, "0");
    s->attempt_ones += lk_slice_is(attempt, "1");
}

static bool observe_json(lk_sniffer *s, lk_parse_cache *c, lk_slice line, lk_fields *out)
{
    lk_layout nothing_known;
    lk_jsonl found;
    lk_reject why;

    lk_layout_init(&nothing_known);
    if (!members(c, line, &found, &why) || !lk_jsonl_read(&nothing_known, c, &found, out, &why))
        return false;
    note_keys(s, &found);
    return true;
}

/* ---- deciding ---- */

static bool is_row(const uint64_t rows[2], uint8_t row)
{
    return rows[row / 64] >> row % 64 & 1;
}

static int new_slot(lk_layout *out, const char *name, lk_id_kind kind)
{
    size_t slot = out->id_count++;
    size_t len = strlen(name);

    memcpy(out->id_name[slot], name, len < LK_ID_NAME_MAX ? len + 1 : 0);
    out->id_is_call[slot] = kind == LK_ID_CALL;
    return (int)slot;
}

/* As the log spells it; as we do where its spelling was too long or the line too full to note it. */
static const char *name_of(const lk_sniffer *s, uint8_t id)
{
    return s->id_key[id][0] != '\0' ? s->id_key[id] : lk_jsonl_row_key(lk_jsonl_id_row(id));
}

/* In order of preference, keys without a value so far alike while there is room for all: a slot
 * does not depend on what the peek happened to show. */
static void give_seen(const lk_sniffer *s, int kind_slot[LK_ID_KINDS], lk_layout *out)
{
    size_t used_left = 0;

    for (uint8_t id = 0; id < lk_jsonl_id_count(); id++)
        used_left += is_row(s->keys_used, lk_jsonl_id_row(id));
    for (uint8_t id = 0; id < lk_jsonl_id_count(); id++) {
        bool used = is_row(s->keys_used, lk_jsonl_id_row(id));
        lk_id_kind kind = lk_jsonl_id_kind(id);

        if (is_row(s->keys_seen, lk_jsonl_id_row(id)) && out->id_count < LK_IDS &&
            (used || out->id_count + used_left < LK_IDS)) {
            int slot = new_slot(out, name_of(s, id), kind);

            out->key_slot[id] = (int8_t)slot;
            if (kind_slot[kind] < 0)
                kind_slot[kind] = slot;
        }
        used_left -= used;
    }
}

/* Some writers leave a key out where it has no value: one that never stood there shares the slot of
 * its kind, or gets one while there is room. */
static void give_unseen(const lk_sniffer *s, int kind_slot[LK_ID_KINDS], lk_layout *out)
{
    for (uint8_t id = 0; id < lk_jsonl_id_count(); id++) {
        lk_id_kind kind = lk_jsonl_id_kind(id);

        if (is_row(s->keys_seen, lk_jsonl_id_row(id)))
            continue;
        if (kind_slot[kind] < 0 && out->id_count < LK_IDS)
            kind_slot[kind] = new_slot(out, lk_jsonl_row_key(lk_jsonl_id_row(id)), kind);
        out->key_slot[id] = (int8_t)kind_slot[kind];
    }
}

static void decide_json(const lk_sniffer *s, lk_layout *out)
{
    int kind_slot[LK_ID_KINDS];

    for (size_t i = 0; i < LK_ID_KINDS; i++)
        kind_slot[i] = -1;
    give_seen(s, kind_slot, out);
    give_unseen(s, kind_slot, out);
    out->attempt_from_zero = s->attempt_zeros > 0 && s->attempt_zeros * 2 >= s->attempt_ones;
    for (uint8_t row = 0; row < lk_jsonl_row_count(); row++)
        if (lk_jsonl_row_field(row) == LK_JSONL_MSEC && is_row(s->keys_seen, row))
            out->moment = LK_MOMENT_END;
}

static bool is_core(lk_jsonl_field field)
{
    return field <= LK_JSONL_TOOK_MS && field != LK_JSONL_METHOD;
}

/* The keys that every line has are those of the other log; ids and attempts come and go. */
static bool are_alike(const lk_sniffer *a, const lk_sniffer *b)
{
    for (uint8_t row = 0; row < lk_jsonl_row_count(); row++)
        if (is_core(lk_jsonl_row_field(row)) &&
            is_row(a->keys_seen, row) != is_row(b->keys_seen, row))
            return false;
    return true;
}

const lk_format LK_FORMAT_JSON = {
    .name = "json",
    .help = "one flat JSON object a line, by the usual keys (lockstep-formats(5))",
    .parse = parse_json,
    .observe = observe_json,
    .decide = decide_json,
    .is_alike = are_alike,
};
