/* What a sniffer learns from JSON lines: the keys that occur, what stamps denote, slots of ids. */
#include "format/json_families.h"
#include "format/value.h"

#include <string.h>

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

void lk_jsonl_note(lk_sniffer *s, const lk_jsonl *line)
{
    lk_slice attempt =
        lk_jsonl_has(line, LK_JSONL_ATTEMPT) ? line->fields[LK_JSONL_ATTEMPT].text : LK_SLICE_NONE;

    for (size_t i = 0; i < LK_KEY_WORDS; i++)
        s->keys_seen[i] |= line->seen[i];
    for (size_t i = 0; i < line->id_count; i++) {
        uint8_t row = line->ids[i].value.row;

        if (row < LK_JSON_PATHS_MAX)
            continue;
        keep_id_key(s, &line->ids[i]);
        if (!lk_value_is_absent(line->ids[i].value.text))
            s->keys_used[row / 64] |= UINT64_C(1) << row % 64;
    }
    s->attempt_zeros += lk_slice_is(attempt, "0");
    s->attempt_ones += lk_slice_is(attempt, "1");
}

bool lk_jsonl_observe(const lk_format *format, lk_sniffer *s, lk_parse_cache *c, lk_slice line,
                      lk_fields *out)
{
    lk_layout nothing_known;
    lk_jsonl found;
    lk_reject why;

    if (!lk_jsonl_members(c, &s->paths, line, &found, &why) ||
        lk_json_family_of(&found)->format != format)
        return false;
    lk_layout_init(&nothing_known);
    nothing_known.paths = s->paths;
    if (!lk_jsonl_read(&nothing_known, c, &found, out, &why))
        return false;
    s->moment_lines[out->moment]++;
    lk_jsonl_note(s, &found);
    return true;
}

/* ---- deciding ---- */

static bool is_row(const uint64_t rows[LK_KEY_WORDS], uint8_t row)
{
    return rows[row / 64] >> row % 64 & 1;
}

static int new_slot(lk_layout *out, const char *name, lk_id_kind kind)
{
    size_t slot = out->id_count++;
    size_t len = strlen(name), max = LK_ID_NAME_MAX - 1;

    memcpy(out->id_name[slot], name, len < max ? len : max); /* zeros stand behind it */
    out->id_is_call[slot] = kind == LK_ID_CALL;
    out->id_is_task[slot] = kind == LK_ID_TASK;
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

static void give_users(lk_layout *out)
{
    for (size_t i = 0; i < out->paths.count; i++)
        if (out->paths.path[i].means.field == LK_JSONL_ID)
            (void)new_slot(out, out->paths.path[i].text, LK_ID_REQUEST);
}

static bool has_msec(const lk_sniffer *s)
{
    for (uint8_t row = LK_JSON_PATHS_MAX; row < lk_jsonl_row_count(); row++)
        if (lk_jsonl_row_field(row) == LK_JSONL_MSEC && is_row(s->keys_seen, row))
            return true;
    return false;
}

void lk_jsonl_decide(const lk_sniffer *s, lk_layout *out)
{
    int kind_slot[LK_ID_KINDS];
    uint32_t starts = s->moment_lines[LK_MOMENT_START], ends = s->moment_lines[LK_MOMENT_END];

    for (size_t i = 0; i < LK_ID_KINDS; i++)
        kind_slot[i] = -1;
    give_users(out);
    give_seen(s, kind_slot, out);
    give_unseen(s, kind_slot, out);
    out->attempt_from_zero = s->attempt_zeros > 0 && s->attempt_zeros * 2 >= s->attempt_ones;
    if (starts + ends > 0)
        out->moment = starts > ends ? LK_MOMENT_START : LK_MOMENT_END;
    else if (has_msec(s)) /* in members that are no JSON */
        out->moment = LK_MOMENT_END;
}

static bool is_core(lk_jsonl_field field)
{
    return field <= LK_JSONL_TOOK_MS && field != LK_JSONL_METHOD;
}

/* The keys that every line has are those of the other log; ids and attempts come and go. */
bool lk_jsonl_is_alike(const lk_sniffer *a, const lk_sniffer *b)
{
    for (uint8_t row = LK_JSON_PATHS_MAX; row < lk_jsonl_row_count(); row++)
        if (is_core(lk_jsonl_row_field(row)) &&
            is_row(a->keys_seen, row) != is_row(b->keys_seen, row))
            return false;
    return true;
}
