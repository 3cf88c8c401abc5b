/* link/state — what the linker holds while attempts stream by; shared by the files of link/ only. */
#ifndef LK_LINK_STATE_H
#define LK_LINK_STATE_H

#include "base/lru.h"
#include "base/recent.h"
#include "base/time.h"
#include "link/group.h"
#include "link/linker.h"
#include "link/unit.h"

/* The last attempt of one caller + method + target + user agent: 48 bytes, for most keys of most logs have
 * nothing else.  */
typedef struct lk_key_state {
    int64_t start_ns, end_ns;
    uint64_t caller;
    uint32_t population, target;
    uint32_t alike;        /* units before the last one that began at its instant */
    uint32_t past;         /* number + 1 of its lk_key_past; 0 = it has none */
    uint16_t group;
    bool failed, rejected; /* its status                         */
    bool stepped;          /* its step is known already (by id)  */
    bool has_failed;       /* ever                               */
    bool fraction;
} lk_key_state;

/* What else is known of a key that failed, or whose last unit is kept or not its last attempt alone.  A key that
 * has none: its last attempt is the last unit, which is not kept. */
typedef struct lk_key_past {
    int64_t asked_ns;       /* by the last attempt; -1 = nothing  */
    int64_t unit_first_ns;  /* of the last unit that began        */
    int64_t unit_end_ns;    /* its end, where it is not kept      */
    int64_t watch_until_ns; /* units are kept until then          */
    int32_t unit;           /* the last unit when kept; LK_UNIT_NONE, LK_UNIT_GONE */
    uint32_t next_free;     /* of one that no key has: as lk_key_state.past */
    uint16_t watched;       /* units kept since the last failure  */
} lk_key_past;

typedef struct lk_key_pasts {
    lk_key_past *items; /* [cap] of which [used] were ever handed out */
    uint32_t cap, used, free;
} lk_key_pasts;

/* Which kept unit an id names; of a sequence (sequence.c): the first unit that waits, and the last. */
typedef struct lk_id_state {
    int32_t unit, last;
    uint32_t column;
} lk_id_state;

/* Attempts a call, exactly up to a bound. */
enum { LK_LENGTHS_MAX = 1024 };

typedef struct lk_id_use {
    uint64_t joined;        /* seen again after a failure   */
    uint64_t after_success; /* seen again after a success, of one value in 64 */
    uint64_t restarted;     /* ... by an attempt whose counter starts again: it names a task */
    uint64_t unnumbered, crossed; /* joined without a counter; of those: from another caller  */
    uint64_t lines;
    bool is_call, is_task;  /* the format knows its meaning */
} lk_id_use;

struct lk_linker {
    lk_linker_options options;
    const lk_symbols *symbols;
    lk_groups groups;
    lk_units units;
    lk_recent keys; /* lk_key_state by key                      */
    lk_key_pasts pasts; /* of those keys that have one       */
    lk_lru ids;  /* lk_id_state by id, failed units          */
    lk_lru good; /* a sample of ids of successful attempts   */
    lk_id_use uses[LK_IDS];
    uint64_t lengths[LK_LENGTHS_MAX + 1];  /* calls by attempts           */
    uint64_t spans[LK_PAUSES_MAX + 1];     /* successes by time to success */
    uint64_t timed;                        /* successes with a known time  */
    int64_t span_sum_ns, span_max_ns, waited_sum_ns;
    uint64_t exact, early, later; /* comebacks inside calls, against the Retry-After before them */
    uint64_t after_left;   /* comebacks to an answer that the client had not waited for */
    uint64_t hopeless;     /* comebacks from what no wait helps               */
    uint64_t began_before; /* calls whose first attempts the log does not hold */
    int64_t first_ns;      /* LK_TIME_NONE: nothing yet */
    uint64_t evicted;      /* failed units decided before their time */
    uint64_t folded_keys;  /* callers forgotten for want of room     */
    uint64_t numbered;     /* lines with an attempt number           */
    int64_t now_ns;
    lk_place place;        /* of the attempt taken last              */
    bool is_new;           /* its key was not known                  */
};

/* ---- past.c ---- */

/* The past of a key, made when it has none: as it is for such a key. */
LK_MUST_CHECK lk_code lk_past_make(struct lk_linker *l, lk_key_state *k, lk_key_past **out,
                                   lk_err *e);
/* The key is about to be forgotten. */
void lk_past_drop(struct lk_linker *l, const lk_key_state *k);

/* NULL = it has none. */
static inline lk_key_past *lk_past_of(const struct lk_linker *l, const lk_key_state *k)
{
    return k->past ? &l->pasts.items[k->past - 1] : NULL;
}

/* Decides all kept units; those that may still go on are kept when `final` is false. */
LK_MUST_CHECK lk_code lk_units_resolve(struct lk_linker *l, int64_t end_ns, bool final, lk_err *e);

/* One call of the group; sets its group. */
LK_MUST_CHECK lk_code lk_count_call(struct lk_linker *l, lk_group *g, lk_call *call, lk_err *e);
/* One task of the group; sets its group. */
LK_MUST_CHECK lk_code lk_count_task(struct lk_linker *l, lk_group *g, lk_task *task, lk_err *e);

bool lk_is_early(const struct lk_linker *l, int64_t at_ns);

/* ---- comebacks.c ---- */

/* The attempt at `at_ns` came back from the last one of `from`, `pause_ns` after its end. */
LK_MUST_CHECK lk_code lk_count_comeback(struct lk_linker *l, lk_group *g, const lk_unit *from,
                                        int64_t at_ns, lk_err *e);
/* How the caller treated the Retry-After of `from`: for comebacks inside a call. */
void lk_count_obedience(struct lk_linker *l, const lk_unit *from, int64_t at_ns);
/* Follows the run of rejections that nothing ends. */
void lk_drought_follow(lk_group *g, const lk_attempt *a);

static inline void lk_drought_take(lk_group *g, const lk_attempt *a)
{
    if (a->status == 429 || g->drought.from_ns != LK_TIME_NONE)
        lk_drought_follow(g, a);
}

/* ---- pauses.c ---- */

/* The attempt bears the number of the failed one before it, as those of its population always did, and came too
 * late for a proxy's try: a retry whose counter does not grow. */
bool lk_is_uncounted(const lk_group *g, const lk_unit *u, const lk_attempt *a);

/* An attempt that an id joins to a unit whose last attempt failed. */
LK_MUST_CHECK lk_code lk_note_pause(const struct lk_linker *l, const lk_unit *u, const lk_attempt *a,
                                    lk_err *e);

/* A unit that a chain joins to the one before it: the `retry`-th comeback of the call that begins at
 * first_ns, or of its task. */
LK_MUST_CHECK lk_code lk_note_link(const struct lk_linker *l, const lk_unit *from, const lk_unit *to,
                                   lk_comeback_layer layer, uint16_t retry, int64_t previous_ns,
                                   int64_t first_ns, lk_err *e);

/* ---- identity.c ---- */

/* The kept unit that one of the attempt's ids names. */
typedef struct lk_joined {
    int32_t unit;   /* LK_UNIT_NONE: none                                       */
    uint8_t column; /* that names it, from 1; 0: the attempts of one line       */
    uint8_t known;  /* bit i: id[i] may be among the ids that are remembered  */
    bool is_new_call; /* the id names a task, and this is another call of it    */
} lk_joined;

lk_joined lk_unit_by_id(struct lk_linker *l, const lk_attempt *a, uint16_t group);

/* Does the attempt say anything of who it is but by its caller and target? */
static inline bool lk_has_identity(const lk_attempt *a)
{
    uint64_t any = a->request;

    for (size_t i = 0; i < LK_IDS; i++)
        any |= a->id[i];
    return any != 0 || a->attempt_no != 0 || a->try_no > 1;
}

/* It failed, or an id or a number tells a later attempt of its call whatever the answer was. */
bool lk_may_return(const lk_attempt *a);

/* A failed attempt's ids wait for the next attempt; a success ends the wait. */
LK_MUST_CHECK lk_code lk_remember_id(struct lk_linker *l, uint64_t id, lk_id_state state,
                                     lk_err *e);
LK_MUST_CHECK lk_code lk_remember_ids(struct lk_linker *l, const lk_attempt *a, const lk_joined *joined,
                                      lk_err *e);

/* An id of the attempt that tells its call from all others. */
bool lk_names_call(const struct lk_linker *l, const lk_attempt *a);

/* The attempt counter starts again: another call of the same task. */
bool lk_is_restart(const lk_attempt *a, const lk_unit *u);

/* Does a column of ids join attempts of this population, or their numbers? */
bool lk_group_has_identity(const struct lk_linker *l, const lk_group *g);
bool lk_group_has_ids(const struct lk_linker *l, const lk_group *g);
bool lk_id_is_joining(const lk_id_use *use);
/* Do its values name tasks, whose attempts are calls of their own? */
bool lk_id_names_task(const lk_id_use *use);

/* ---- sequence.c: attempts that carry a number and no id ---- */

/* The kept unit whose last attempt has the number before this one's; LK_UNIT_NONE. */
int32_t lk_sequence_find(struct lk_linker *l, const lk_attempt *a, uint16_t group);
/* The unit waits for the attempt after this failed one. */
LK_MUST_CHECK lk_code lk_sequence_wait(struct lk_linker *l, const lk_attempt *a, int32_t unit,
                                       lk_err *e);
/* Attempts of this population are joined by their numbers. */
bool lk_group_is_numbered(const lk_group *g);

/* ---- steps.c ---- */

/* The step from the key's last attempt to this one; a NULL: nobody came again. */
LK_MUST_CHECK lk_code lk_step_by_key(struct lk_linker *l, const lk_key_state *k,
                                     const lk_attempt *a, lk_err *e);
/* The step from a unit's last attempt to one that an id joins to it. */
LK_MUST_CHECK lk_code lk_step_by_id(struct lk_linker *l, const lk_unit *u, const lk_attempt *a,
                                    lk_err *e);

#endif
