#include "format/json_paths.h"

#include "base/hash.h"
#include "base/slice.h"
#include "format/json_keys.h"
#include "model/attempt.h"

#include <string.h>

typedef struct name_row {
    const char *name;
    lk_jsonl_field field;
    lk_jsonl_unit unit;
} name_row;

/* clang-format off */
static const name_row NAMES[] = {
    { "time",        LK_JSONL_TIME,        LK_JSONL_FAMILY  },
    { "status",      LK_JSONL_STATUS,      LK_JSONL_FAMILY  },
    { "caller",      LK_JSONL_CALLER,      LK_JSONL_FAMILY  },
    { "method",      LK_JSONL_METHOD,      LK_JSONL_FAMILY  },
    { "target",      LK_JSONL_TARGET,      LK_JSONL_FAMILY  },
    { "request",     LK_JSONL_REQUEST,     LK_JSONL_FAMILY  },
    { "took",        LK_JSONL_TOOK,        LK_JSONL_S       },
    { "took_ms",     LK_JSONL_TOOK_MS,     LK_JSONL_MS      },
    { "agent",       LK_JSONL_AGENT,       LK_JSONL_FAMILY  },
    { "id",          LK_JSONL_ID,          LK_JSONL_FAMILY  },
    { "attempt",     LK_JSONL_ATTEMPT,     LK_JSONL_FAMILY  },
    { "retry_after", LK_JSONL_RETRY_AFTER, LK_JSONL_S       },
    { "host",        LK_JSONL_HOST,        LK_JSONL_FAMILY  },
};
#define NAMES_LISTED "time, status, caller, method, target, request, took, took_ms, agent, id, " \
                     "attempt, retry_after, host"
/* clang-format on */

enum { NAME_COUNT = sizeof(NAMES) / sizeof(NAMES[0]), SHOWN_MAX = 60 };

_Static_assert(NAME_COUNT - 1 + LK_IDS <= LK_JSON_PATHS_MAX, "each field, and all ids, have room");

/* For messages. */
static int shown(lk_slice s)
{
    return s.len < SHOWN_MAX ? (int)s.len : SHOWN_MAX;
}

static const name_row *find_name(lk_slice name)
{
    for (size_t i = 0; i < NAME_COUNT; i++)
        if (lk_slice_is(name, NAMES[i].name))
            return &NAMES[i];
    return NULL;
}

static size_t count_field(const lk_json_paths *paths, lk_jsonl_field field)
{
    size_t n = 0;

    for (size_t i = 0; i < paths->count; i++)
        n += paths->path[i].means.field == field;
    return n;
}

static bool has_empty_key(lk_slice path)
{
    for (size_t i = 0; i + 1 < path.len; i++)
        if (path.p[i] == '.' && path.p[i + 1] == '.')
            return true;
    return path.p[0] == '.' || path.p[path.len - 1] == '.';
}

static size_t depth_of(lk_slice path)
{
    size_t n = 1;

    for (size_t i = 0; i < path.len; i++)
        n += path.p[i] == '.';
    return n;
}

static lk_code check_path(const name_row *row, lk_slice path, lk_err *e)
{
    if (path.len == 0)
        return lk_fail(e, LK_EUSAGE, "JSON key '%s' has no path", row->name);
    if (has_empty_key(path))
        return lk_fail(e, LK_EUSAGE, "JSON key '%s': an empty key in '%.*s'", row->name,
                       shown(path), path.p);
    if (depth_of(path) > LK_JSON_DEPTH_MAX)
        return lk_fail(e, LK_EUSAGE, "JSON key '%s': more than %d keys in '%.*s'", row->name,
                       LK_JSON_DEPTH_MAX, shown(path), path.p);
    return LK_OK;
}

static lk_code check_free(const lk_json_paths *paths, const name_row *row, lk_err *e)
{
    size_t max = row->field == LK_JSONL_ID ? LK_IDS : 1;

    if (count_field(paths, row->field) < max)
        return LK_OK;
    if (max > 1)
        return lk_fail(e, LK_EUSAGE, "JSON key '%s' is given more than %zu times", row->name, max);
    return lk_fail(e, LK_EUSAGE, "JSON key '%s' is given twice", row->name);
}

/* "status=response.code" */
static lk_code add_path(lk_json_paths *paths, lk_slice item, lk_err *e)
{
    const char *equals = item.len > 0 ? memchr(item.p, '=', item.len) : NULL;
    lk_slice name = { item.p, equals ? (size_t)(equals - item.p) : item.len }, path;
    const name_row *row = find_name(name);
    lk_json_path *p = &paths->path[paths->count];
    size_t len;

    if (!equals)
        return lk_fail(e, LK_EUSAGE, "no FIELD=PATH: '%.*s'", shown(item), item.p);
    if (!row)
        return lk_fail(e, LK_EUSAGE, "unknown JSON key '%.*s'; there are " NAMES_LISTED,
                       shown(name), name.p);
    path = lk_slice_skip(item, name.len + 1);
    LK_TRY(check_path(row, path, e));
    LK_TRY(check_free(paths, row, e));
    len = lk_jsonl_plain(path, p->text, sizeof(p->text) - 1);
    if (len == 0)
        return lk_fail(e, LK_EUSAGE, "JSON key '%s': '%.*s...' is longer than %d bytes", row->name,
                       shown(path), path.p, LK_JSON_PATH_MAX - 1);
    len = lk_jsonl_drop_firsts(p->text, len);
    if (len == 0)
        return lk_fail(e, LK_EUSAGE, "JSON key '%s': '%.*s' names no member", row->name, shown(path),
                       path.p);
    p->text[len] = '\0';
    p->len = (uint8_t)len;
    p->means.field = (uint8_t)row->field;
    p->means.unit = (uint8_t)row->unit;
    p->means.sign = lk_jsonl_sign((lk_slice){ p->text, len });
    if (row->field == LK_JSONL_ID)
        p->slot = (uint8_t)paths->id_count++;
    paths->count++;
    return LK_OK;
}

lk_code lk_json_keys_parse(const char *text, lk_json_paths *out, lk_err *e)
{
    lk_json_paths paths = { 0 };
    lk_slice rest = lk_slice_from(text);

    do {
        const char *comma = rest.len > 0 ? memchr(rest.p, ',', rest.len) : NULL;
        size_t len = comma ? (size_t)(comma - rest.p) : rest.len;

        LK_TRY(add_path(&paths, (lk_slice){ rest.p, len }, e));
        if (!comma)
            break;
        rest = lk_slice_skip(rest, len + 1);
    } while (true);
    paths.tag = lk_hash(text, strlen(text)) | 1;
    *out = paths;
    return LK_OK;
}
