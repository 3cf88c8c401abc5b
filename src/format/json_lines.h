/* format/json_lines — a line that is a JSON object, flat as nginx writes it or nested as Caddy,
 * Google Cloud, Azure and ECS do, alone or behind the text that Caddy's console form puts before it.
 *
 * Two readers give the same.  The scanner allocates nothing, enters the objects that the table of
 * keys names, skips other nested values and bears what log writers get wrong: raw bytes that are no
 * UTF-8, "\x22", values that are empty, '-' or a list because a variable stood there without
 * quotes.  The tree, by lk_json_parse, takes what the scanner declines: keys with escapes, more than
 * 64 levels.  Its numbers have the 15 digits of a double and its texts are cut at 2 KiB.  Of an
 * array its first value counts, when that is a text or a number.
 *
 * Owner:  text points into the line or into the cache's room for strings.
 * Errors: LK_REJECT_JSON no JSON object; UNRECOGNISED an object that is no request; TIMESTAMP and
 *         STATUS missing or unreadable.
 * Cost:   one pass; no allocation but by the tree.
 * Source: RFC 8259.  */
#ifndef LK_FORMAT_JSON_LINES_H
#define LK_FORMAT_JSON_LINES_H

#include "format/json_keys.h"
#include "format/layout.h"

enum { LK_JSONL_IDS_MAX = 32 };

typedef struct lk_jsonl_value {
    lk_slice text; /* p NULL = the line has none */
    uint8_t row;   /* of the key table */
    bool quoted;   /* a string */
    bool escaped;  /* text is as it stands in the line, with backslashes */
} lk_jsonl_value;

typedef struct lk_jsonl_id {
    lk_slice key; /* as the log spells it */
    lk_jsonl_value value;
} lk_jsonl_id;

typedef struct lk_jsonl {
    uint32_t has; /* bit i: fields[i], which mean nothing otherwise */
    lk_jsonl_value fields[LK_JSONL_FIELDS];
    size_t id_count;
    lk_jsonl_id ids[LK_JSONL_IDS_MAX]; /* absent values too */
    uint64_t seen[LK_KEY_WORDS];       /* rows of the key table that are present */
    bool dash_status;                  /* the status is there, as "-" */
    bool has_asked;                    /* a Retry-After is there, be it empty */
    uint32_t signs;                    /* of families, see format/json_keys */
    lk_slice lead;                     /* the stamp before the object; NONE mostly */
} lk_jsonl;

/* Nothing read so far. */
void lk_jsonl_clear(lk_jsonl *line);

static inline bool lk_jsonl_has(const lk_jsonl *line, lk_jsonl_field field)
{
    return line->has >> field & 1;
}

/* False: declined. */
bool lk_jsonl_scan(lk_parse_cache *c, const lk_json_paths *paths, lk_slice line, lk_jsonl *out);
/* False: no JSON object. */
bool lk_jsonl_tree(lk_parse_cache *c, const lk_json_paths *paths, lk_slice line, lk_jsonl *out);

/* Adds one member of the key table or of the user's paths. */
void lk_jsonl_put_in(lk_jsonl *line, const lk_json_paths *paths, uint8_t row, lk_slice key,
                     const lk_jsonl_value *value);
void lk_jsonl_put(lk_jsonl *line, uint8_t row, lk_slice key, const lk_jsonl_value *value); /* no paths */

/* The same of a row with that meaning.  Inline, part by part: a value that is written to memory and copied from
 * there at once makes the processor wait. */
static inline void lk_jsonl_put_as(lk_jsonl *line, unsigned field, uint32_t sign, uint8_t row, lk_slice key,
                                   lk_slice text, bool quoted, bool escaped)
{
    const bool is_dash = text.len == 1 && text.p[0] == '-';
    lk_jsonl_value *to;

    line->seen[row / 64] |= UINT64_C(1) << row % 64;
    line->signs |= sign;
    if (field == LK_JSONL_MARK)
        return;
    if (field == LK_JSONL_ID) {
        if (line->id_count == LK_JSONL_IDS_MAX)
            return;
        line->ids[line->id_count].key = key;
        to = &line->ids[line->id_count++].value;
    } else {
        line->dash_status |= field == LK_JSONL_STATUS && is_dash;
        line->has_asked |= field == LK_JSONL_RETRY_AFTER || field == LK_JSONL_RETRY_AFTER_MS;
        to = &line->fields[field];
        if (text.len == 0 || is_dash || ((line->has >> field & 1) && to->row <= row))
            return;
        line->has |= UINT32_C(1) << field;
    }
    to->text.p = text.p;
    to->text.len = text.len;
    to->row = row;
    to->quoted = quoted;
    to->escaped = escaped;
}

/* The text of a value without escapes, at most `max` bytes of it when there were any. */
lk_slice lk_jsonl_unescaped(lk_parse_cache *c, const lk_jsonl_value *v, size_t max);

static inline lk_slice lk_jsonl_text(lk_parse_cache *c, const lk_jsonl_value *v, size_t max)
{
    return v->escaped ? lk_jsonl_unescaped(c, v, max) : v->text;
}

/* A string's text without its escapes into `room`, at most `max` bytes; its length, which is never more
 * than that of the text. */
size_t lk_json_unescape(lk_slice text, char *room, size_t max);

/* The members of the object in a line, by the one reader or the other. */
bool lk_jsonl_members(lk_parse_cache *c, const lk_json_paths *paths, lk_slice line, lk_jsonl *out,
                      lk_reject *why);

/* Members to fields. */
bool lk_jsonl_read(const lk_layout *l, lk_parse_cache *c, const lk_jsonl *line, lk_fields *out,
                   lk_reject *why);

/* The functions of an lk_format; lines that are of another format by their keys are not observed. */
bool lk_jsonl_parse(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_fields *out,
                    lk_reject *why);
void lk_jsonl_each(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_field_visit *visit,
                   void *ctx);
void lk_jsonl_find(lk_parse_cache *side, lk_slice line, const struct lk_named *asked,
                   lk_slice *values);
bool lk_jsonl_observe(const lk_format *format, lk_sniffer *s, lk_parse_cache *c, lk_slice line,
                      lk_fields *out);
/* Adds to *s which keys the line has. */
void lk_jsonl_note(lk_sniffer *s, const lk_jsonl *line);
void lk_jsonl_decide(const lk_sniffer *s, lk_layout *out);
bool lk_jsonl_is_alike(const lk_sniffer *a, const lk_sniffer *b);

#endif
