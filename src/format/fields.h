/* format/fields — what one line of log says, before its strings become numbers.
 *
 * Units:  ns.
 * Owner:  slices point into the line or into the lk_parse_cache that it was read with, and live
 *         until the next line is read with that cache.  */
#ifndef LK_FORMAT_FIELDS_H
#define LK_FORMAT_FIELDS_H

#include "base/slice.h"
#include "model/attempt.h"

/* One try that a line hides: an upstream of a proxy's list, or a retry that it counted. */
typedef struct lk_try {
    unsigned status; /* LK_STATUS_UNKNOWN = not logged            */
    int64_t took_ns; /* -1 = not logged                           */
    bool redirect;   /* the try before went on here by an internal redirect: no retry */
} lk_try;

typedef struct lk_fields {
    int64_t stamp_ns;
    bool fraction;           /* the stamp had sub-second digits              */
    lk_moment moment;        /* what the format says stamp_ns denotes        */
    int64_t took_ns;         /* -1 = not logged                              */
    lk_slice caller;         /* address without its port, or host name       */
    lk_slice method, target; /* empty when the request line is not one; target without its query */
    lk_slice query;         /* behind the '?', which the log may have in a place of its own; NONE */
    lk_slice agent;         /* user agent; LK_SLICE_NONE when the log has none ("-") */
    lk_slice id[LK_IDS];    /* candidate call ids, by slot of the layout; NONE = absent */
    int32_t attempt_no;     /* 1-based; 0 = not logged                      */
    int32_t attempt_max;    /* 0 = not logged                               */
    int64_t retry_after_ns; /* -1 = none, or nothing to wait by             */
    int64_t retry_at_ns;    /* of a date; LK_TIME_NONE = it is none         */
    lk_asked_form asked_form;
    bool has_asked; /* the line has a place for a Retry-After, be it empty */
    unsigned status;        /* 0..999, or LK_STATUS_UNKNOWN: the log does not say it */
    lk_slice host;          /* the virtual host that was asked; NONE = not logged */
    bool caller_chosen;     /* the caller is from the field that was asked for */
    bool gave_up;           /* the client left first, however the format says it (status 499, 460,
                                000 are known by themselves: set this for flags and words) */
    bool zoneless;          /* the stamp has no zone: it was read as UTC, see lk_layout.zone_ns */
    bool by_wrapper;        /* the stamp is that of what was around the line */
    size_t
        try_count; /* tries of this line, the last of them is the answer; 0 = it is one attempt */
    const lk_try *tries; /* [try_count], in the parse cache              */
} lk_fields;

/* Nothing logged: every slice NONE, durations -1. */
void lk_fields_init(lk_fields *f);

/* An attempt number, bare or as "attempt=2; max=3"; a count of retries, from which it follows where
 * no number stands.  What is neither changes nothing. */
void lk_fields_attempt(lk_fields *f, lk_slice v);
void lk_fields_retries(lk_fields *f, lk_slice v);

/* The target with its query, where the line has one: in the line itself as a rule, else put together
 * in room[max], cut there. */
enum { LK_TARGET_ROOM = 4096 };
lk_slice lk_fields_whole_target(const lk_fields *f, char *room, size_t max);

/* Why a line is no request.  The names are those of input.rejected_samples[].reason. */
#define LK_REJECTS(X)               \
    X(NONE, "")                     \
    X(UNRECOGNISED, "unrecognised") \
    X(TIMESTAMP, "bad-timestamp")   \
    X(NO_TIME, "no-time")           \
    X(STATUS, "bad-status")         \
    X(JSON, "bad-json")             \
    X(OVERLONG, "line-too-long")    \
    X(LINES, "several-lines")       \
    X(BINARY, "binary")             \
    X(UTF16, "utf-16")              \
    X(CUT, "cut-short")

typedef enum lk_reject {
#define LK_REJECT_ENUM(name, text) LK_REJECT_##name,
    LK_REJECTS(LK_REJECT_ENUM)
#undef LK_REJECT_ENUM
        LK_REJECT_COUNT
} lk_reject;

const char *lk_reject_name(lk_reject r);

#endif
