/* model/redact — names in a report replaced by pseudonyms, so that it can be shown to others.
 *
 * Without a key a pseudonym is a number: "agent-1" is the user agent that the report names first.
 * Numbers follow from the report alone, so the same input still gives the same bytes, and there is
 * nothing to be guessed or broken: a hash of an address can be undone by trying all addresses, be
 * it with a key that leaks later.  With a key it is a keyed hash instead, the same in every report
 * that is made with that key, and worth as much as the key is kept.
 *
 * What was decided by a name (a vendor's SDK by its user agent) is decided before; "other", which
 * stands for many, stays.
 *
 * Owner:  pseudonyms live in the arena.
 * Errors: EUSAGE unknown kind, key too short; where memory ends a name becomes "?", never itself.
 * Cost:   a linear search: reports name hundreds, not thousands.
 * Source: SipHash as in base/hash.  */
#ifndef LK_MODEL_REDACT_H
#define LK_MODEL_REDACT_H

#include "base/arena.h"
#include "model/report.h"

enum { LK_REDACT_KEY_MIN = 16 };

typedef enum lk_redact_kind {
    LK_REDACT_CALLER = 0,
    LK_REDACT_TARGET,
    LK_REDACT_AGENT,
    LK_REDACT_HOST,
    LK_REDACT_KINDS
} lk_redact_kind;

typedef struct lk_redact_name {
    const char *text, *pseudonym;
    lk_redact_kind kind;
} lk_redact_name;

typedef struct lk_redact {
    unsigned kinds; /* bit i: kind i is replaced; 0 = nothing is */
    bool keyed;
    uint64_t k0, k1;
    lk_arena *arena;
    lk_redact_name *names; /* [count] */
    size_t count, cap;
    size_t numbers[LK_REDACT_KINDS];
} lk_redact;

/* "callers,targets,user-agents,hosts" or "all"; NULL for none. */
LK_MUST_CHECK lk_code lk_redact_init(lk_redact *r, const char *kinds, lk_arena *arena, lk_err *e);
/* The bytes of a key, of which at least LK_REDACT_KEY_MIN. */
LK_MUST_CHECK lk_code lk_redact_use_key(lk_redact *r, lk_slice key, lk_err *e);

/* The pseudonym of `text`, or `text` where its kind is not replaced; NULL stays NULL. */
const char *lk_redact_text(lk_redact *r, lk_redact_kind kind, const char *text);

/* The same, keyed only, without remembering it: into `arena`, for names without number. */
const char *lk_redact_fresh(const lk_redact *r, lk_redact_kind kind, const char *text, lk_arena *arena);

/* All names in a report.  Rejected lines hold any of them: their texts go. */
void lk_redact_report(lk_redact *r, lk_report *report);

#endif
