#include "base/near.h"

#include <stddef.h>
#include <string.h>

enum { WORD_MAX = 32, SLIPS_MAX = 2 };

static size_t least(size_t a, size_t b, size_t c)
{
    size_t m = a < b ? a : b;

    return m < c ? m : c;
}

/* Levenshtein's distance, row by row. */
static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
    size_t row[WORD_MAX + 1];

    for (size_t j = 0; j <= b_len; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        size_t corner = row[0];

        row[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            size_t changed = corner + (a[i - 1] != b[j - 1]);

            corner = row[j];
            row[j] = least(row[j] + 1, row[j - 1] + 1, changed);
        }
    }
    return row[b_len];
}

bool lk_near(const char *typed, const char *meant)
{
    size_t a = strlen(typed), b = strlen(meant), slips;

    if (a == 0 || a > WORD_MAX || b > WORD_MAX)
        return false;
    slips = distance(typed, a, meant, b);
    return slips <= SLIPS_MAX && slips * 2 < b;
}
