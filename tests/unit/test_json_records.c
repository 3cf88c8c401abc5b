#include "format/json_records.h"
#include "unit.h"

typedef struct records_row {
    const char *line;
    int count; /* -1 = no such line */
    const char *first, *last;
} records_row;

/* clang-format off */
static const records_row ROW[] = {
    { "{\"records\":[{\"a\":1},{\"b\":2}]}",       2, "{\"a\":1}", "{\"b\":2}" },
    { " { \"Records\" : [ {\"a\":[{}]} , {\"b\":2} ] } ", 2, "{\"a\":[{}]}", "{\"b\":2}" },
    { "[{\"a\":\"]}\\\"{\"},{\"b\":2}]",            2, "{\"a\":\"]}\\\"{\"}", "{\"b\":2}" },
    { "{\"records\":[",                          0, NULL, NULL },
    { "[",                                       0, NULL, NULL },
    { "]}",                                      0, NULL, NULL },
    { "],",                                      0, NULL, NULL },
    { "[]",                                      0, NULL, NULL },
    { "{\"a\":1},",                              1, "{\"a\":1}", "{\"a\":1}" },
    { ",{\"a\":1}",                              1, "{\"a\":1}", "{\"a\":1}" },
    { "{\"a\":1}]}",                             1, "{\"a\":1}", "{\"a\":1}" },
    { "[{\"a\":1},",                             1, "{\"a\":1}", "{\"a\":1}" },
    { "[{\"a\":1},{\"b\":\"cut",                 2, "{\"a\":1}", "{\"b\":\"cut" },
    /* lines by themselves, and of other formats */
    { "{\"a\":1}",                              -1, NULL, NULL },
    { "{\"a\":[1]}",                            -1, NULL, NULL },
    { "{\"a\":1} trailing",                     -1, NULL, NULL },
    { "[2026-11-30T03:25:00.310Z] \"GET / HTTP/1.1\" 200", -1, NULL, NULL },
    { "[1,2]",                                  -1, NULL, NULL },
    { "",                                       -1, NULL, NULL },
    { ",",                                      -1, NULL, NULL },
};
/* clang-format on */

TEST(json_records_are_the_objects_of_an_array)
{
    for (size_t i = 0; i < ROWS(ROW); i++) {
        lk_slice rest, record, first = LK_SLICE_NONE, last = LK_SLICE_NONE;
        int count = 0;

        if (!lk_json_records(lk_slice_from(ROW[i].line), &rest)) {
            check(ROW[i].count == -1, "row %zu", i);
            continue;
        }
        while (lk_json_record_next(&rest, &record)) {
            if (count++ == 0)
                first = record;
            last = record;
        }
        check(count == ROW[i].count && rest.len == 0, "row %zu: %d", i, count);
        check(count == 0 || (lk_slice_is(first, ROW[i].first) && lk_slice_is(last, ROW[i].last)),
              "row %zu: '%.*s' .. '%.*s'", i, (int)first.len, first.p, (int)last.len, last.p);
    }
}

TESTS(T(json_records_are_the_objects_of_an_array))
