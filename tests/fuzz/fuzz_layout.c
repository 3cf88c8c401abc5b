/* Any text as the lines of a log: what the sniffer decides does not depend on where the log is cut,
 * and by it every line is read within its bounds. */
#include "format/layout.h"

#include "base/time.h"
#include "require.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

typedef struct sniffers {
    lk_sniffer whole, first, second;
} sniffers;

static lk_slice next_line(lk_slice *rest)
{
    const char *end = memchr(rest->p, '\n', rest->len);
    lk_slice line = { rest->p, end ? (size_t)(end - rest->p) : rest->len };

    *rest = lk_slice_skip(*rest, line.len + 1);
    return line;
}

static void check_layout(const lk_layout *l)
{
    REQUIRE(l->id_count <= LK_IDS && l->column_count <= LK_COLUMNS_MAX);
    for (size_t i = 0; i < l->column_count; i++)
        REQUIRE(l->column_slot[i] >= -1 && l->column_slot[i] < (int)l->id_count);
    for (size_t i = 0; i < LK_ID_KEYS_MAX; i++)
        REQUIRE(l->key_slot[i] >= -1 && l->key_slot[i] < (int)l->id_count);
    for (size_t i = 0; i < l->id_count; i++)
        REQUIRE(l->id_name[i][0] != '\0' && memchr(l->id_name[i], '\0', LK_ID_NAME_MAX));
}

/* Everything but the moment, whose evidence is the order of neighbours. */
static void check_same(const lk_layout *a, const lk_layout *b)
{
    REQUIRE(a->format == b->format && a->column_count == b->column_count);
    REQUIRE(a->id_count == b->id_count && a->attempt_from_zero == b->attempt_from_zero);
    REQUIRE(memcmp(a->columns, b->columns, sizeof(a->columns)) == 0);
    REQUIRE(memcmp(a->column_slot, b->column_slot, sizeof(a->column_slot)) == 0);
    REQUIRE(memcmp(a->key_slot, b->key_slot, sizeof(a->key_slot)) == 0);
    REQUIRE(memcmp(a->id_name, b->id_name, sizeof(a->id_name)) == 0);
    REQUIRE(memcmp(a->id_is_call, b->id_is_call, sizeof(a->id_is_call)) == 0);
}

static void sniff(sniffers *s, lk_slice text)
{
    lk_slice rest = text;

    lk_sniffer_init(&s->whole);
    lk_sniffer_init(&s->first);
    lk_sniffer_init(&s->second);
    while (rest.len > 0) {
        bool late = rest.len < text.len / 2;
        lk_slice line = next_line(&rest);

        lk_sniffer_line(&s->whole, line);
        lk_sniffer_line(late ? &s->second : &s->first, line);
    }
}

static void decide(sniffers *s, lk_layout *out)
{
    lk_layout merged;

    REQUIRE(lk_sniffer_is_alike(&s->first, &s->second) ==
           lk_sniffer_is_alike(&s->second, &s->first));
    lk_sniffer_merge(&s->second, &s->first);
    lk_sniffer_decide(&s->whole, out);
    lk_sniffer_decide(&s->second, &merged);
    check_layout(out);
    check_same(out, &merged);
    REQUIRE(s->whole.lines == s->second.lines && s->whole.first_ns == s->second.first_ns);
}

static void parse(const lk_layout *l, lk_slice text)
{
    lk_parse_cache cache;
    uint32_t taken = 0;

    lk_parse_cache_init(&cache);
    while (text.len > 0) {
        lk_slice line = next_line(&text);
        lk_reject why = LK_REJECT_COUNT;
        lk_fields f;

        if (lk_layout_parse(l, &cache, line, &f, &why)) {
            REQUIRE(lk_stamp_is_plausible(f.stamp_ns) && f.status <= LK_STATUS_UNKNOWN);
            taken++;
        } else {
            REQUIRE(why < LK_REJECT_COUNT);
        }
    }
    REQUIRE(!l->format || taken > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    lk_slice text = { (const char *)data, len };
    sniffers *s = malloc(sizeof(*s));
    lk_layout l;

    if (!s)
        return 0;
    sniff(s, text);
    decide(s, &l);
    parse(&l, text);
    free(s);
    return 0;
}
