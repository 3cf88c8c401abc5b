/* model/attempt — one HTTP request as the access log saw it, and the source that yields them.
 *
 * Units:  instants in ns since the Unix epoch, durations in ns.
 * Owner:  plain data; strings are numbers of an lk_symbols table or 64-bit hashes.  */
#ifndef LK_MODEL_ATTEMPT_H
#define LK_MODEL_ATTEMPT_H

#include "base/err.h"
#include "base/intern.h"

#include <stdbool.h>
#include <stdint.h>

enum { LK_IDS = 4 }; /* candidate call-id fields of a line */

/* How many tries an upstream list or a retry counter may hide in one line. */
enum { LK_TRIES_MAX = 64, LK_STATUS_UNKNOWN = 1000 };

/* What a Retry-After held.  RFC 9110, 10.2.3 knows whole seconds and dates; the rest is what servers
 * send all the same. */
typedef enum lk_asked_form {
    LK_ASKED_NOTHING = 0,
    LK_ASKED_SECONDS,   /* "12"                                                   */
    LK_ASKED_FRACTION,  /* "2.5"                                                  */
    LK_ASKED_MS,        /* a header in milliseconds, retry-after-ms               */
    LK_ASKED_DATE,      /* an HTTP-date that was still to come                    */
    LK_ASKED_PAST,      /* ... that was over when the answer was sent             */
    LK_ASKED_NEGATIVE,
    LK_ASKED_MALFORMED, /* none of these; longer than three years                 */
    LK_ASKED_FORMS
} lk_asked_form;

typedef enum lk_moment { LK_MOMENT_UNKNOWN = 0, LK_MOMENT_START, LK_MOMENT_END } lk_moment;

typedef struct lk_attempt {
    int64_t stamp_ns;        /* as logged                                                */
    int64_t start_ns;        /* arrival; equals stamp_ns where no duration corrects it   */
    int64_t end_ns;          /* equals stamp_ns where no duration is logged              */
    uint64_t caller;         /* hash of the client address                               */
    uint64_t key;            /* hash of caller, method, target and user agent            */
    uint64_t id[LK_IDS];     /* hash of each candidate call id; 0 = absent               */
    int64_t retry_after_ns;  /* what the response asked for; -1 = none, or nothing to wait by */
    uint32_t population;     /* symbol of the user agent                                 */
    uint32_t target;         /* symbol of the target, without its query                  */
    uint32_t value;          /* of the field that the report is broken down by; 0 = by none */
    uint32_t above;          /* units of the layers that the user names: measure/above; 0 = none */
    int32_t attempt_no;      /* 1-based; 0 = not logged                                  */
    int32_t attempt_max;     /* 0 = not logged                                           */
    uint64_t request;        /* hash of the line whose tries these are; 0 = the line is one attempt */
    uint16_t status;         /* LK_STATUS_UNKNOWN: a hidden try whose answer was not logged */
    uint16_t try_no;         /* 1-based, of the line's tries; 1 = the first or only one  */
    bool failed;             /* the caller may come back from it                         */
    bool rejected;           /* refused for capacity                                     */
    bool gave_up;            /* the client left first, in every spelling                 */
    uint8_t moment;          /* lk_moment of stamp_ns                                    */
    bool fraction;           /* stamps are finer than a second                           */
    bool has_took;           /* a duration was logged                                    */
    uint8_t asked_form;      /* lk_asked_form                                            */
    bool has_asked;          /* the log would show a Retry-After, had one been sent      */
    uint8_t call_ids;        /* bit i: id[i] is known to name a call (an invocation id)  */
    uint8_t task_ids;        /* bit i: ... a task: each of its attempts is a call         */
} lk_attempt;

/* Refused for capacity: 429, 503, 529. */
static inline bool lk_status_is_rejected(unsigned status)
{
    return status == 429 || status == 503 || status == 529;
}

static inline bool lk_status_client_gave_up(unsigned status)
{
    return status == 499 || status == 460 || status == 0;
}

/* The population of http.errors: 5xx, 429, 529. */
static inline bool lk_status_is_error(unsigned status)
{
    return status == 429 || (status >= 500 && status <= 599);
}

/* What a caller may come back from: a rejection, 408, any 5xx, or the client gave up (499, 460, 0). */
static inline bool lk_status_is_failed(unsigned status)
{
    return lk_status_is_error(status) || status == 408 || lk_status_client_gave_up(status);
}

/* No later attempt can fare better, whatever the wait: 400, 401, 403, 404, 405, ..., 501, 505. */
bool lk_status_is_hopeless(unsigned status);

/* The form of its Retry-After; seconds where only the value is known. */
lk_asked_form lk_attempt_asked_form(const lk_attempt *a);

/* A comeback against the Retry-After before it.  A little late is exact: timers of busy programs are,
 * by hundredths of what they wait for; early are those that no clock explains. */
typedef enum lk_obeyed { LK_OBEYED_EARLY, LK_OBEYED_EXACTLY, LK_OBEYED_LATER } lk_obeyed;

lk_obeyed lk_attempt_obeyed(int64_t pause_ns, int64_t asked_ns, bool fine_stamps);

/* The method hashed last. */
typedef struct lk_method_seen {
    uint64_t hash;
    size_t len; /* 0 = none */
    char text[8];
} lk_method_seen;

enum { LK_POPULATIONS_MAX = 4096, LK_TARGETS_MAX = 8192 };

/* A string past the bound, as it would be kept. */
typedef struct lk_symbols_past {
    uint16_t len;
    char p[LK_INTERN_TEXT_MAX];
} lk_symbols_past;

enum { LK_PAST_AGENT, LK_PAST_TARGET, LK_PASTS };

/* The strings behind an attempt's numbers; folded_...: the hash of the last string past the bound, as it would
 * be kept. */
typedef struct lk_symbols {
    uint64_t folded_population, folded_target;
    lk_intern populations; /* user agents */
    lk_intern targets;
    lk_intern_lately *lately; /* [2]: of populations, of targets */
    lk_symbols_past *past;    /* [LK_PASTS] the last ones; NULL = they are not kept */
    lk_method_seen method;
} lk_symbols;

LK_MUST_CHECK lk_code lk_symbols_init(lk_symbols *s, uint64_t seed, lk_err *e);
/* At most so many of each, where they are fewer than usual. */
LK_MUST_CHECK lk_code lk_symbols_init_within(lk_symbols *s, size_t populations_max,
                                             size_t targets_max, uint64_t seed, lk_err *e);
/* From now on the last string past each bound is kept. */
LK_MUST_CHECK lk_code lk_symbols_keep_past(lk_symbols *s, lk_err *e);
void lk_symbols_release(lk_symbols *s);

/* A log file, a pipe and a simulator are the same to order/ and link/. */
typedef struct lk_source {
    int64_t first_ns; /* an instant not after its first attempts by more than the window */
    lk_step (*next)(struct lk_source *self, lk_attempt *out, lk_err *e);
    void (*close)(struct lk_source *self); /* never fails; idempotent */
} lk_source;

#endif
