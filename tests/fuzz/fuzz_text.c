/* Any bytes made safe: no controls are left, the columns hold, and safe text stays as it is. */
#include "base/arena.h"
#include "base/slice.h"
#include "base/text.h"
#include "require.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* The first byte says where to cut. */
static void check_cut(lk_arena *a, lk_slice s, size_t max)
{
    char *cut = lk_text_safe(a, s, max);

    REQUIRE(cut && lk_text_width(cut) <= max);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    size_t max = len > 0 ? data[0] : 0;
    lk_slice s = { (const char *)data, len };
    lk_arena a;
    char *safe, *again;

    lk_arena_init(&a, 0);
    safe = lk_text_safe(&a, s, SIZE_MAX);
    REQUIRE(safe);
    for (const char *p = safe; *p != '\0'; p++)
        REQUIRE((unsigned char)*p >= 0x20 && *p != 0x7f);
    again = lk_text_safe(&a, lk_slice_from(safe), SIZE_MAX);
    REQUIRE(again && strcmp(safe, again) == 0);
    check_cut(&a, s, max);
    lk_arena_release(&a);
    return 0;
}
