/* Of several fields for one thing, one; and the slots of ids. */
#include "format/custom_part.h"
#include "format/json_keys.h"

#include <string.h>

/* clang-format off */
static const uint8_t GROUPS[LK_CUSTOM_FIELDS] = { /* 0 = may be there more than once */
    [LK_CUSTOM_CALLER]          = 1,
    [LK_CUSTOM_HOST]            = 2,
    [LK_CUSTOM_METHOD]          = 3,
    [LK_CUSTOM_TARGET]          = 4,
    [LK_CUSTOM_REQUEST]         = 5,
    [LK_CUSTOM_STATUS]          = 6,
    [LK_CUSTOM_AGENT]           = 7,
    [LK_CUSTOM_TOOK_S]          = 8,
    [LK_CUSTOM_TOOK_MS]         = 8,
    [LK_CUSTOM_TOOK_US]         = 8,
    [LK_CUSTOM_ATTEMPT]         = 9,
    [LK_CUSTOM_RETRIES]         = 10,
    [LK_CUSTOM_RETRY_AFTER]     = 11,
    [LK_CUSTOM_RETRY_AFTER_MS]  = 12,
    [LK_CUSTOM_UPSTREAM_STATUS] = 13,
    [LK_CUSTOM_UPSTREAM_TOOK]   = 14,
};
/* clang-format on */

static void drop(lk_custom_row *row)
{
    bool is_list = row->field == LK_CUSTOM_UPSTREAM_STATUS || row->field == LK_CUSTOM_UPSTREAM_TOOK;

    row->field = is_list ? LK_CUSTOM_LIST : LK_CUSTOM_IGNORE;
}

static void keep_best(lk_custom *out, uint8_t group)
{
    lk_custom_row *best = NULL;

    for (size_t i = 0; i < out->count; i++) {
        lk_custom_row *row = &out->rows[i];

        if (GROUPS[row->field] != group)
            continue;
        if (best && best->rank <= row->rank) {
            drop(row);
            continue;
        }
        if (best)
            drop(best);
        best = row;
    }
}

bool lk_custom_has(const lk_custom *custom, lk_custom_field field)
{
    for (size_t i = 0; i < custom->count; i++)
        if (custom->rows[i].field == field)
            return true;
    return false;
}

/* %U is the target after rewriting and %m stands in the request line as well. */
static void keep_request(lk_custom *out)
{
    if (!lk_custom_has(out, LK_CUSTOM_REQUEST))
        return;
    for (size_t i = 0; i < out->count; i++)
        if (out->rows[i].field == LK_CUSTOM_METHOD || out->rows[i].field == LK_CUSTOM_TARGET)
            drop(&out->rows[i]);
}

/* The id of the lowest rank that has no slot yet. */
static lk_custom_row *next_id(lk_custom *out)
{
    lk_custom_row *best = NULL;

    for (size_t i = 0; i < out->count; i++) {
        lk_custom_row *row = &out->rows[i];

        if (row->field == LK_CUSTOM_ID && row->slot < 0 && (!best || row->rank < best->rank))
            best = row;
    }
    return best;
}

static bool is_of_kind(lk_slice name, lk_id_kind kind)
{
    uint8_t row = lk_jsonl_row(name);

    return row != LK_JSONL_ROW_OTHER && lk_jsonl_row_field(row) == LK_JSONL_ID &&
           lk_jsonl_id_kind(lk_jsonl_row_id(row)) == kind;
}

static void give_slots(lk_custom *out)
{
    lk_custom_row *row;

    while (out->id_count < LK_IDS && (row = next_id(out))) {
        lk_slice name = { out->text + row->form, row->form_len };
        char *id_name = out->id_name[out->id_count];
        size_t len = name.len < LK_ID_NAME_MAX - 1 ? name.len : LK_ID_NAME_MAX - 1;

        memcpy(id_name, name.p, len);
        id_name[len] = '\0';
        out->id_is_call[out->id_count] = is_of_kind(name, LK_ID_CALL);
        out->id_is_task[out->id_count] = is_of_kind(name, LK_ID_TASK);
        row->slot = (int8_t)out->id_count++;
    }
    while ((row = next_id(out)))
        drop(row);
}

void lk_custom_pick(lk_custom *out)
{
    for (uint8_t group = 1; group <= GROUPS[LK_CUSTOM_UPSTREAM_TOOK]; group++)
        keep_best(out, group);
    keep_request(out);
    give_slots(out);
}
