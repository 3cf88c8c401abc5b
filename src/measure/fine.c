#include "measure/fine.h"

#include "base/time.h"

#include <stdlib.h>
#include <string.h>

void lk_fine_init(lk_fine *f, int64_t bin_ns)
{
    *f = (lk_fine){ .bin_ns = bin_ns, .max = LK_FINE_BLOCKS_MAX };
}

void lk_fine_limit(lk_fine *f, size_t blocks_max)
{
    if (blocks_max < f->max)
        f->max = blocks_max;
}

static void drop_blocks(lk_fine *f)
{
    for (size_t i = 0; i < f->n; i++) {
        free(f->block[i].all);
        free(f->block[i].rejected);
    }
    free(f->block);
    f->block = NULL;
    f->n = 0;
}

void lk_fine_release(lk_fine *f)
{
    drop_blocks(f);
    *f = (lk_fine){ .bin_ns = f->bin_ns, .max = f->max };
}

/* Makes block number `number` one of ours. */
static lk_code reach(lk_fine *f, int64_t number, lk_err *e)
{
    int64_t first = f->first_block, last = first + (int64_t)f->n - 1;
    size_t before, need;

    if (!f->block) {
        f->block = calloc(f->max, sizeof(*f->block));
        if (!f->block)
            return lk_fail(e, LK_EOOM, "no memory for the arrivals of a month");
        first = last = number;
    }
    first = number < first ? number : first;
    last = number > last ? number : last;
    if ((uint64_t)(last - first) >= f->max) {
        drop_blocks(f);
        f->given_up = true;
        return LK_OK;
    }
    before = f->n > 0 ? (size_t)(f->first_block - first) : 0;
    need = (size_t)(last - first + 1);
    memmove(f->block + before, f->block, f->n * sizeof(*f->block));
    memset(f->block, 0, before * sizeof(*f->block));
    f->first_block = first;
    f->n = need;
    return LK_OK;
}

static lk_code count(uint16_t **bins, size_t i, uint32_t more, lk_err *e)
{
    if (more == 0)
        return LK_OK;
    if (!*bins && !(*bins = calloc(LK_FINE_BLOCK, sizeof(**bins))))
        return lk_fail(e, LK_EOOM, "no memory for %d bins", (int)LK_FINE_BLOCK);
    (*bins)[i] = more > UINT16_MAX - (uint32_t)(*bins)[i] ? UINT16_MAX
                                                          : (uint16_t)((*bins)[i] + more);
    return LK_OK;
}

lk_code lk_fine_add(lk_fine *f, int64_t at_ns, uint32_t all, uint32_t rejected, lk_err *e)
{
    int64_t bin = lk_floor_div(at_ns, f->bin_ns), number = lk_floor_div(bin, LK_FINE_BLOCK);
    size_t i = (size_t)(bin - number * LK_FINE_BLOCK);
    lk_fine_block *b;

    if (f->given_up)
        return LK_OK;
    if (!f->block || number < f->first_block || number >= f->first_block + (int64_t)f->n)
        LK_TRY(reach(f, number, e));
    if (f->given_up)
        return LK_OK;
    b = &f->block[number - f->first_block];
    LK_TRY(count(&b->all, i, all, e));
    return count(&b->rejected, i, rejected, e);
}

static lk_code add_block(lk_fine *f, const lk_fine_block *b, int64_t first_bin, lk_err *e)
{
    for (size_t i = 0; b->all && i < LK_FINE_BLOCK; i++)
        if (b->all[i])
            LK_TRY(lk_fine_add(f, (first_bin + (int64_t)i) * f->bin_ns, b->all[i],
                               b->rejected ? b->rejected[i] : 0, e));
    return LK_OK;
}

lk_code lk_fine_merge(lk_fine *f, const lk_fine *other, lk_err *e)
{
    if (other->given_up) {
        drop_blocks(f);
        f->given_up = true;
    }
    for (size_t i = 0; i < other->n; i++)
        LK_TRY(add_block(f, &other->block[i], (other->first_block + (int64_t)i) * LK_FINE_BLOCK, e));
    return LK_OK;
}

void lk_fine_read(const lk_fine *f, size_t from, size_t n, uint32_t *all, uint32_t *rejected)
{
    for (size_t i = 0; i < n; i++) {
        size_t number = (from + i) / LK_FINE_BLOCK, at = (from + i) % LK_FINE_BLOCK;
        const lk_fine_block *b = number < f->n ? &f->block[number] : NULL;

        all[i] = b && b->all ? b->all[at] : 0;
        rejected[i] = b && b->rejected ? b->rejected[at] : 0;
    }
}
