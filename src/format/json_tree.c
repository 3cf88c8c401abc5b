/* The slow reader of JSON lines, by way of a document. */
#include "format/json_lines.h"
#include "model/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 2048, NUMBER_MAX = 40 };

/* The document goes away, so its text moves into the cache's room. */
static lk_slice kept(lk_parse_cache *c, lk_slice text)
{
    size_t max = text.len < TEXT_MAX ? text.len : TEXT_MAX;
    char *room = lk_cache_room(c, &max);

    memcpy(room, text.p, max);
    lk_cache_keep(c, max);
    return (lk_slice){ room, max };
}

/* The shortest digits that give the number back: those of the line, up to 15 of them. */
static lk_slice digits_of(lk_parse_cache *c, double x, char text[NUMBER_MAX])
{
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(text, NUMBER_MAX, "%.*g", digits, x);
        double back = strtod(text, NULL);
        if (back >= x && back <= x)
            break;
    }
    return kept(c, lk_slice_from(text));
}

static void put_member(lk_parse_cache *c, const lk_json *member, lk_jsonl *out)
{
    lk_slice key = lk_slice_from(lk_json_key(member)), text;
    uint8_t row = lk_jsonl_row(key);
    lk_jsonl_value v = { .quoted = false };
    char digits[NUMBER_MAX];
    double number;

    if (row == LK_JSONL_ROW_OTHER)
        return;
    if (lk_json_text(member, &text)) {
        v.text = kept(c, text);
        v.quoted = true;
    } else if (lk_json_number(member, &number)) {
        v.text = digits_of(c, number, digits);
    }
    lk_jsonl_put(out, row, lk_jsonl_row_field(row) == LK_JSONL_ID ? kept(c, key) : key, v);
}

bool lk_jsonl_tree(lk_parse_cache *c, lk_slice line, lk_jsonl *out)
{
    lk_json *root = line.len > 0 && line.p[0] == '{' ? lk_json_parse(line) : NULL;
    const lk_json *member;

    memset(out, 0, sizeof(*out));
    if (!root)
        return false;
    for (member = lk_json_first(root); member; member = lk_json_next(member))
        put_member(c, member, out);
    lk_json_free(root);
    return true;
}
