#include "scale/source.h"

#include "base/time.h"
#include "scale/record.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef enum field_kind { COUNT, SIGNED, TEXT, FLAG } field_kind;

typedef struct field {
    const char *name;
    field_kind kind;
    size_t offset, count; /* count > 0: an array */
} field;

/* clang-format off */
#define F(kind, name, member) { name, kind, offsetof(lk_source_account, member), 0 }
#define ARRAY(kind, name, member, count) { name, kind, offsetof(lk_source_account, member), count }
static const field FIELDS[] = {
    F(COUNT, "version", version), F(TEXT, "name", name), F(COUNT, "at", at),
    F(COUNT, "identity", identity), F(SIGNED, "first_ns", first_ns), F(SIGNED, "last_ns", last_ns),
    F(SIGNED, "newest_ns", newest_ns),
    F(COUNT, "attempts", attempts), F(TEXT, "options", options), F(TEXT, "format", format),
    F(TEXT, "compression", compression), F(TEXT, "moment", moment), F(COUNT, "layout", layout),
    F(COUNT, "bytes", bytes),
    F(COUNT, "bytes_out", bytes_out), F(COUNT, "lines", total), F(COUNT, "parsed", parsed),
    F(COUNT, "filtered", filtered), F(COUNT, "rejected", rejected), F(COUNT, "ignored", ignored),
    F(COUNT, "zoneless", zoneless), F(COUNT, "nameless", nameless),
    ARRAY(COUNT, "reasons", reasons, LK_SOURCE_REASONS),
    ARRAY(COUNT, "named", named, LK_SOURCE_NAMINGS), ARRAY(TEXT, "ids", ids, LK_SOURCE_IDS),
    F(COUNT, "id_count", id_count), F(FLAG, "truncated", truncated), F(COUNT, "trouble", trouble),
    F(TEXT, "message", message), F(TEXT, "addresses", addresses),
};
/* clang-format on */

enum { FIELD_COUNT = sizeof(FIELDS) / sizeof(FIELDS[0]) };

/* ---- writing ---- */

static void write_text(const char *text, lk_buf *out)
{
    for (const char *p = text ? text : ""; *p; p++) {
        char room[4];

        lk_buf_add(out, room, lk_record_escape((lk_slice){ p, 1 }, room));
    }
}

static void write_value(const lk_source_account *s, const field *f, size_t i, lk_buf *out)
{
    const char *at = (const char *)s + f->offset;

    switch (f->kind) {
    case COUNT: lk_buf_printf(out, "%" PRIu64, ((const uint64_t *)(const void *)at)[i]); break;
    case SIGNED: lk_buf_printf(out, "%" PRId64, ((const int64_t *)(const void *)at)[i]); break;
    case TEXT: write_text(((const char *const *)(const void *)at)[i], out); break;
    case FLAG: lk_buf_text(out, *(const bool *)(const void *)at ? "1" : "0"); break;
    }
}

void lk_source_account_write(const lk_source_account *s, lk_buf *out)
{
    for (size_t k = 0; k < FIELD_COUNT; k++) {
        const field *f = &FIELDS[k];

        lk_buf_printf(out, "%s%s=", k ? " " : "", f->name);
        for (size_t i = 0; i < (f->count ? f->count : 1); i++) {
            lk_buf_text(out, i ? "," : "");
            write_value(s, f, i, out);
        }
    }
}

/* ---- reading ---- */

static lk_code no_account(lk_err *e)
{
    return lk_fail(e, LK_EDATA, "the account of an input is damaged, or of another version");
}

static bool read_number(lk_slice text, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < text.len; i++) {
        unsigned digit = (unsigned)(text.p[i] - '0');

        if (digit > 9 || *value > (UINT64_MAX - digit) / 10)
            return false;
        *value = *value * 10 + digit;
    }
    return text.len > 0;
}

static bool read_signed(lk_slice text, int64_t *value)
{
    bool is_negative = text.len > 0 && text.p[0] == '-';
    uint64_t size;

    if (!read_number((lk_slice){ text.p + is_negative, text.len - is_negative }, &size) ||
        size > (uint64_t)INT64_MAX + is_negative)
        return false;
    *value = is_negative ? (int64_t)(~size + 1) : (int64_t)size;
    return true;
}

static lk_code read_text(lk_slice text, lk_arena *arena, const char **out, lk_err *e)
{
    char *copy = LK_NEW(arena, char, text.len + 1);
    size_t len;

    if (!copy)
        return lk_fail(e, LK_EOOM, "no memory for the account of an input");
    if (!lk_record_unescape(text, copy, text.len, &len) || memchr(copy, '\0', len))
        return no_account(e);
    copy[len] = '\0';
    *out = copy;
    return LK_OK;
}

static lk_code read_value(lk_slice text, const field *f, size_t i, lk_arena *arena,
                          lk_source_account *out, lk_err *e)
{
    char *at = (char *)out + f->offset;

    switch (f->kind) {
    case COUNT:
        return read_number(text, &((uint64_t *)(void *)at)[i]) ? LK_OK : no_account(e);
    case SIGNED: return read_signed(text, &((int64_t *)(void *)at)[i]) ? LK_OK : no_account(e);
    case TEXT: return read_text(text, arena, &((const char **)(void *)at)[i], e);
    case FLAG: *(bool *)(void *)at = text.len == 1 && text.p[0] == '1'; return LK_OK;
    }
    return no_account(e);
}

/* Up to the byte, which is passed over; all that is left where it does not come. */
static lk_slice cut(lk_slice *text, char at)
{
    const char *found = text->len ? memchr(text->p, at, text->len) : NULL;
    lk_slice head = { text->p, found ? (size_t)(found - text->p) : text->len };
    size_t passed = head.len + (found != NULL);

    *text = (lk_slice){ text->p + passed, text->len - passed };
    return head;
}

static bool is_instant(int64_t at_ns)
{
    return at_ns == LK_TIME_NONE || lk_record_has_instant(at_ns);
}

lk_code lk_source_account_read(lk_slice text, lk_arena *arena, lk_source_account *out, lk_err *e)
{
    *out = (lk_source_account){ 0 };
    for (size_t k = 0; k < FIELD_COUNT; k++) {
        const field *f = &FIELDS[k];
        lk_slice value = cut(&text, ' '), name = cut(&value, '=');

        if (!lk_slice_is(name, f->name))
            return no_account(e);
        for (size_t i = 0; i < (f->count ? f->count : 1); i++)
            LK_TRY(read_value(f->count ? cut(&value, ',') : value, f, i, arena, out, e));
        if (k == 0 && out->version != LK_RECORD_VERSION)
            return lk_fail(e, LK_EDATA, "records of version %" PRIu64 ", this program reads %d",
                           out->version, LK_RECORD_VERSION);
    }
    return text.len || !is_instant(out->first_ns) || !is_instant(out->last_ns) ? no_account(e) : LK_OK;
}
