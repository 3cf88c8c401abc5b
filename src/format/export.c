#include "format/export.h"

#include <string.h>

enum { KEY_MAX = 64 };

/* Bytes of the field's name; 0 when the line does not begin with one. */
static size_t key_len(lk_slice line)
{
    size_t n = 0;

    while (n < line.len && n < KEY_MAX &&
           ((line.p[n] >= 'A' && line.p[n] <= 'Z') || (line.p[n] >= '0' && line.p[n] <= '9') ||
            line.p[n] == '_'))
        n++;
    return n;
}

static bool is_message(lk_slice key)
{
    return lk_slice_is(key, "MESSAGE");
}

bool lk_export_begins(lk_slice line)
{
    size_t n = key_len(line);

    if (n < 2 || (line.p[0] != '_' && !is_message((lk_slice){ line.p, n })))
        return false;
    return n < line.len ? line.p[n] == '=' : is_message((lk_slice){ line.p, n });
}

void lk_export_open(lk_unwrap *u, size_t depth, uint64_t source)
{
    lk_export *x = &u->export;

    x->is_open = true;
    x->depth = depth;
    x->source = source;
    x->state = LK_EXPORT_FIELD;
    x->stamp_len = 0;
    x->message.text_len = x->message.raw_len = 0;
    x->message.lines = 0;
}

static bool has_room(const lk_unwrap *u, const lk_held *m, size_t more)
{
    return more <= u->max_line && m->text_len <= u->max_line - more;
}

/* ---- binary fields ---- */

static uint64_t size_of(const unsigned char bytes[8])
{
    uint64_t n = 0;

    for (size_t i = 8; i-- > 0;)
        n = n << 8 | bytes[i];
    return n;
}

/* Bytes of the line for the size, then for the field; false: no memory. */
static bool take_bytes(lk_unwrap *u, lk_slice bytes)
{
    lk_export *x = &u->export;
    size_t n;

    while (x->state == LK_EXPORT_SIZE && bytes.len > 0) {
        x->size[x->size_len++] = (unsigned char)bytes.p[0];
        bytes = lk_slice_skip(bytes, 1);
        if (x->size_len == sizeof(x->size)) {
            x->left = size_of(x->size);
            x->state = LK_EXPORT_DATA;
        }
    }
    if (x->state != LK_EXPORT_DATA)
        return true;
    n = bytes.len < x->left ? bytes.len : (size_t)x->left;
    x->left -= n;
    if (x->is_message && has_room(u, &x->message, n))
        return lk_held_text(&x->message, (lk_slice){ bytes.p, n });
    return true;
}

static bool take_nuls(lk_unwrap *u, uint64_t count)
{
    static const char NULS[64] = { 0 };

    while (count > 0) {
        size_t n = count < sizeof(NULS) ? (size_t)count : sizeof(NULS);

        if (u->export.state == LK_EXPORT_DATA && u->export.left == 0)
            return true;
        if (!take_bytes(u, (lk_slice){ NULS, n }))
            return false;
        count -= n;
    }
    return true;
}

static lk_export_step feed_bytes(lk_unwrap *u, const lk_unwrap_input *line, lk_slice text)
{
    lk_export *x = &u->export;
    const bool of_message = x->is_message;

    if (!take_nuls(u, line->nuls) || !take_bytes(u, text))
        return LK_EXPORT_OOM;
    if (x->state == LK_EXPORT_DATA && x->left == 0)
        x->state = LK_EXPORT_FIELD;
    else if (!take_bytes(u, LK_SLICE("\n")))
        return LK_EXPORT_OOM;
    if (!of_message)
        return LK_EXPORT_OTHER;
    return lk_held_line(u, &x->message, line) ? LK_EXPORT_MESSAGE : LK_EXPORT_OOM;
}

/* ---- text fields ---- */

static lk_export_step begin_bytes(lk_unwrap *u, const lk_unwrap_input *line, lk_slice key)
{
    lk_export *x = &u->export;

    x->state = LK_EXPORT_SIZE;
    x->size_len = 0;
    x->is_message = is_message(key);
    if (!x->is_message)
        return LK_EXPORT_OTHER;
    return lk_held_line(u, &x->message, line) ? LK_EXPORT_MESSAGE : LK_EXPORT_OOM;
}

static void keep_stamp(lk_export *x, lk_slice key, lk_slice value)
{
    const bool is_source = lk_slice_is(key, "_SOURCE_REALTIME_TIMESTAMP");

    if (value.len > sizeof(x->stamp) ||
        !(is_source || (x->stamp_len == 0 && lk_slice_is(key, "__REALTIME_TIMESTAMP"))))
        return;
    memcpy(x->stamp, value.p, value.len);
    x->stamp_len = value.len;
}

static lk_export_step take_message(lk_unwrap *u, const lk_unwrap_input *line, lk_slice value)
{
    lk_held *m = &u->export.message;

    if (has_room(u, m, value.len) && !lk_held_text(m, value))
        return LK_EXPORT_OOM;
    return lk_held_line(u, m, line) ? LK_EXPORT_MESSAGE : LK_EXPORT_OOM;
}

/* The end of line behind the bytes; or the next field, where a CR among them was not seen. */
static bool ends_field(const lk_export *x, lk_slice text)
{
    size_t n = key_len(text);

    if (text.len == 0)
        return x->left == 0;
    return x->left <= 1 && n > 0 && n < text.len && text.p[n] == '=';
}

lk_export_step lk_export_feed(lk_unwrap *u, const lk_unwrap_input *line, lk_slice text)
{
    lk_slice key = { text.p, key_len(text) };

    if (u->export.state == LK_EXPORT_DATA && ends_field(&u->export, text)) {
        u->export.state = LK_EXPORT_FIELD;
        if (text.len == 0)
            return LK_EXPORT_OTHER;
    }
    if (u->export.state != LK_EXPORT_FIELD)
        return feed_bytes(u, line, text);
    if (lk_wrap_trimmed(text).len == 0)
        return LK_EXPORT_END;
    if (key.len == 0 || (key.len < text.len && text.p[key.len] != '='))
        return LK_EXPORT_STRANGE;
    if (key.len == text.len)
        return begin_bytes(u, line, key);
    text = lk_slice_skip(text, key.len + 1);
    if (is_message(key))
        return take_message(u, line, text);
    keep_stamp(&u->export, key, text);
    return LK_EXPORT_OTHER;
}
