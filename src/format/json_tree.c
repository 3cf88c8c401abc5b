/* The slow reader of JSON lines, by way of a document. */
#include "format/json_lines.h"
#include "format/tokens.h"
#include "model/json.h"
#include "model/json_syntax.h"

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

/* A text or a number; of an array the first one. */
static lk_jsonl_value value_of(lk_parse_cache *c, const lk_json *value)
{
    lk_jsonl_value v = { .quoted = false };
    const lk_json *first = lk_json_first(value);
    char digits[NUMBER_MAX];
    lk_slice text;
    double number;

    if (first && !lk_json_key(first))
        value = first;
    if (lk_json_text(value, &text)) {
        v.text = kept(c, text);
        v.quoted = true;
    } else if (lk_json_number(value, &number)) {
        v.text = digits_of(c, number, digits);
    }
    return v;
}

/* The object that a member holds, or the first of its array; NULL when that is none, or is empty. */
static const lk_json *object_of(const lk_json *member)
{
    const lk_json *first = lk_json_first(member);

    if (!first || lk_json_key(first))
        return first ? member : NULL;
    member = first;
    first = lk_json_first(member);
    return first && lk_json_key(first) ? member : NULL;
}

static void put_members(lk_parse_cache *c, const lk_json_paths *paths, uint16_t object,
                        const lk_json *root, lk_jsonl *out);

static void put_member(lk_parse_cache *c, const lk_json_paths *paths, uint16_t object,
                       const lk_json *member, lk_jsonl *out)
{
    lk_slice key = lk_slice_from(lk_json_key(member));
    uint8_t row = lk_jsonl_row_in(paths, object, key);
    const lk_json *object_value = object_of(member);
    uint16_t inner;

    if (row != LK_JSONL_ROW_OTHER) {
        lk_jsonl_value v = value_of(c, member);
        bool is_id = lk_jsonl_row_meaning(paths, row)->field == LK_JSONL_ID;

        lk_jsonl_put_in(out, paths, row, is_id ? kept(c, key) : key, &v);
    }
    if (object_value && (inner = lk_jsonl_object_in(paths, object, key)) != 0)
        put_members(c, paths, inner, object_value, out);
}

static void put_members(lk_parse_cache *c, const lk_json_paths *paths, uint16_t object,
                        const lk_json *root, lk_jsonl *out)
{
    for (const lk_json *member = lk_json_first(root); member; member = lk_json_next(member))
        put_member(c, paths, object, member, out);
}

bool lk_jsonl_tree(lk_parse_cache *c, const lk_json_paths *paths, lk_slice line, lk_jsonl *out)
{
    lk_json *root = line.len > 0 && line.p[0] == '{' ? lk_json_parse(line) : NULL;

    lk_jsonl_clear(out);
    if (!root) {
        c->no_memory |= lk_json_syntax(line);
        return false;
    }
    put_members(c, paths, LK_JSONL_ROOT, root, out);
    lk_json_free(root);
    return true;
}

/* ---- by name ---- */

typedef struct path {
    char text[LK_JSON_PATH_MAX];
    size_t len;
} path;

static void each_member(const lk_json *object, const path *above, int depth, lk_parse_cache *c,
                        lk_field_visit *visit, void *ctx)
{
    for (const lk_json *m = lk_json_first(object); m; m = lk_json_next(m)) {
        const lk_json *inner = object_of(m);
        path here;
        int len = snprintf(here.text, sizeof(here.text), "%.*s%s%s", (int)above->len, above->text,
                           above->len ? "." : "", lk_json_key(m));

        if (len < 0 || (size_t)len >= sizeof(here.text))
            continue;
        here.len = (size_t)len;
        if (inner) {
            if (depth + 1 < LK_JSON_DEPTH_MAX)
                each_member(inner, &here, depth + 1, c, visit, ctx);
            continue;
        }
        visit(ctx, (lk_slice){ here.text, here.len }, value_of(c, m).text);
    }
}

static bool is_number_byte(char c)
{
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

/* More digits than a double keeps. */
static bool is_long_integer(lk_slice s)
{
    enum { DIGITS = 15 };
    size_t sign = s.len > 0 && s.p[0] == '-';

    for (size_t i = sign; i < s.len; i++)
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
    return s.len - sign > DIGITS;
}

static size_t string_len(lk_slice s)
{
    size_t n = 1;

    while (n < s.len && s.p[n] != '"')
        n += s.p[n] == '\\' ? 2 : 1;
    return n < s.len ? n + 1 : s.len;
}

/* The text with quotes around its long integers, so that they stay as they are; NULL = no memory. */
static char *with_long_integers_kept(lk_slice s, size_t *len)
{
    char *copy = malloc(s.len + s.len / 8 + 3);

    *len = 0;
    while (copy && s.len > 0) {
        size_t n = 1;
        bool is_long;

        if (s.p[0] == '"')
            n = string_len(s);
        else
            for (n = 0; n < s.len && is_number_byte(s.p[n]);)
                n++;
        is_long = s.p[0] != '"' && is_long_integer((lk_slice){ s.p, n });
        n += n == 0;
        if (is_long)
            copy[(*len)++] = '"';
        memcpy(copy + *len, s.p, n);
        *len += n;
        if (is_long)
            copy[(*len)++] = '"';
        s = lk_slice_skip(s, n);
    }
    return copy;
}

void lk_jsonl_each(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_field_visit *visit,
                   void *ctx)
{
    const char *brace = line.len ? memchr(line.p, '{', line.len) : NULL;
    size_t len = 0;
    char *copy = brace ? with_long_integers_kept(lk_between(brace, line.p + line.len), &len) : NULL;
    lk_json *root = copy ? lk_json_parse((lk_slice){ copy, len }) : NULL;
    path none = { .len = 0 };

    (void)l;
    c->no_memory |= brace && !copy;
    c->no_memory |= copy && !root && lk_json_syntax((lk_slice){ copy, len });
    free(copy);
    if (!root)
        return;
    each_member(root, &none, 0, c, visit, ctx);
    lk_json_free(root);
}
