#include "format/w3c_columns.h"

#include "format/json_keys.h"

#include <string.h>

typedef struct name_row {
    const char *name;
    lk_w3c_role role;
} name_row;

/* clang-format off */
static const name_row NAMES[] = {
    { "date",                        LK_W3C_DATE        },
    { "time",                        LK_W3C_TIME        },
    { "c-ip",                        LK_W3C_CALLER      },
    { "x-forwarded-for",             LK_W3C_FORWARDED   },
    { "cs(x-forwarded-for)",         LK_W3C_FORWARDED   },
    { "cs-method",                   LK_W3C_METHOD      },
    { "cs-uri-stem",                 LK_W3C_TARGET      },
    { "cs-uri",                      LK_W3C_TARGET      },
    { "cs-uri-query",                LK_W3C_QUERY       },
    { "sc-status",                   LK_W3C_STATUS      },
    { "sc-win32-status",             LK_W3C_WIN32       },
    { "time-taken",                  LK_W3C_TOOK        },
    { "cs(user-agent)",              LK_W3C_AGENT       },
    { "cs-host",                     LK_W3C_HOST        },
    { "cs(host)",                    LK_W3C_HOST        },
    { "x-host-header",               LK_W3C_ASKED_HOST  },
    { "x-edge-detailed-result-type", LK_W3C_EDGE_RESULT },
};
/* clang-format on */

enum { NAME_COUNT = sizeof(NAMES) / sizeof(NAMES[0]) };

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_name(lk_slice s, const char *name)
{
    if (s.len != strlen(name))
        return false;
    for (size_t i = 0; i < s.len; i++)
        if (lower(s.p[i]) != name[i])
            return false;
    return true;
}

/* "X-Request-ID" of "cs(X-Request-ID)". */
static lk_slice header_of(lk_slice name)
{
    if ((lk_slice_starts(name, "cs(") || lk_slice_starts(name, "sc(")) &&
        name.p[name.len - 1] == ')')
        return (lk_slice){ name.p + 3, name.len - 4 };
    return name;
}

/* A header that the log was told to show, by the keys of JSON logs.  What those call "time" and
 * the like has other names here. */
static uint8_t role_of_header(lk_slice header)
{
    uint8_t row = lk_jsonl_row(header);

    if (row == LK_JSONL_ROW_OTHER)
        return LK_W3C_IGNORE;
    if (lk_jsonl_row_field(row) == LK_JSONL_ID)
        return (uint8_t)(LK_W3C_ID + lk_jsonl_row_id(row));
    if (lk_jsonl_row_field(row) == LK_JSONL_ATTEMPT)
        return LK_W3C_ATTEMPT;
    if (lk_jsonl_row_field(row) == LK_JSONL_RETRIES)
        return LK_W3C_RETRIES;
    if (lk_jsonl_row_field(row) == LK_JSONL_RETRY_AFTER)
        return LK_W3C_RETRY_AFTER;
    return lk_jsonl_row_field(row) == LK_JSONL_RETRY_AFTER_MS ? LK_W3C_RETRY_AFTER_MS
                                                              : LK_W3C_IGNORE;
}

static uint8_t role_of(lk_slice name)
{
    for (size_t i = 0; i < NAME_COUNT; i++)
        if (is_name(name, NAMES[i].name))
            return (uint8_t)NAMES[i].role;
    return role_of_header(header_of(name));
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static lk_slice take_name(lk_slice *rest)
{
    lk_slice name;

    while (rest->len > 0 && is_blank(rest->p[0]))
        *rest = lk_slice_skip(*rest, 1);
    name = (lk_slice){ rest->p, 0 };
    while (name.len < rest->len && !is_blank(name.p[name.len]))
        name.len++;
    *rest = lk_slice_skip(*rest, name.len);
    return name;
}

void lk_w3c_columns_of(lk_slice names, lk_w3c_columns *out)
{
    lk_slice name;

    memset(out, 0, sizeof(*out));
    while ((name = take_name(&names)).len > 0) {
        if (out->count == LK_W3C_COLUMNS_MAX) {
            out->count = 0;
            return;
        }
        out->is_edge |= lk_slice_starts(name, "x-edge-");
        out->roles[out->count++] = role_of(name);
    }
}

/* Kept in order, and the last falls out. */
void lk_w3c_set_add(lk_w3c_set *set, const lk_w3c_columns *columns)
{
    lk_w3c_columns carried = *columns;

    for (size_t i = 0; i < LK_W3C_SET_MAX && carried.count > 0; i++) {
        lk_w3c_columns *item = &set->items[i], swap = *item;
        int order = item->count == 0 ? 1 : memcmp(item, &carried, sizeof(carried));

        if (order == 0)
            return;
        if (order > 0) {
            *item = carried;
            carried = swap;
        }
    }
}
