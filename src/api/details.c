#include "api/details.h"

#include <stdlib.h>
#include <string.h>

void lk_details_init(lk_details *d)
{
    *d = (lk_details){ 0 };
}

void lk_details_release(lk_details *d)
{
    for (size_t i = 0; i < d->count; i++)
        free(d->entries[i].texts);
    free(d->entries);
    *d = (lk_details){ 0 };
}

static size_t cut(lk_slice text)
{
    const char *nul = text.len ? memchr(text.p, '\0', text.len) : NULL;
    size_t len = nul ? (size_t)(nul - text.p) : text.len;

    return len < LK_DETAIL_TEXT_MAX ? len : LK_DETAIL_TEXT_MAX;
}

static char *copy(const lk_slice *texts)
{
    size_t size = LK_DETAILS;
    char *all, *at;

    for (size_t i = 0; i < LK_DETAILS; i++)
        size += cut(texts[i]);
    all = at = malloc(size);
    for (size_t i = 0; all && i < LK_DETAILS; i++) {
        size_t len = cut(texts[i]);

        if (len)
            memcpy(at, texts[i].p, len);
        at[len] = '\0';
        at += len + 1;
    }
    return all;
}

static lk_code grow(lk_details *d, lk_err *e)
{
    size_t cap = d->cap ? 2 * d->cap : 1024;
    lk_detail_entry *grown = realloc(d->entries, cap * sizeof(*grown));

    if (!grown)
        return lk_fail(e, LK_EOOM, "no memory for the texts of %zu attempts", cap);
    d->entries = grown;
    d->cap = cap;
    return LK_OK;
}

lk_code lk_details_add(lk_details *d, const lk_slice *texts, uint32_t uses, uint32_t *number,
                       lk_err *e)
{
    char *copied = copy(texts);
    uint32_t at = d->free_list;

    if (!copied)
        return lk_fail(e, LK_EOOM, "no memory for the texts of an attempt");
    if (!at && d->count == d->cap && grow(d, e) != LK_OK) {
        free(copied);
        return e->code;
    }
    if (at)
        d->free_list = d->entries[at - 1].uses;
    else
        at = (uint32_t)++d->count;
    d->entries[at - 1] = (lk_detail_entry){ copied, uses };
    *number = at;
    return LK_OK;
}

void lk_details_get(const lk_details *d, uint32_t number, const char *texts[LK_DETAILS])
{
    const char *at = d->entries[number - 1].texts;

    for (size_t i = 0; i < LK_DETAILS; i++) {
        texts[i] = at;
        at += strlen(at) + 1;
    }
}

void lk_details_drop(lk_details *d, uint32_t number)
{
    lk_detail_entry *entry = &d->entries[number - 1];

    if (--entry->uses > 0)
        return;
    free(entry->texts);
    entry->texts = NULL;
    entry->uses = d->free_list;
    d->free_list = number;
}
