/* link/sdk — the callers' own record of their calls, which decides the call counts when given.
 *
 * Closed calls come one by one (link/sdk_lines reads them).  Their ids are looked for among those of the
 * access log's attempts: a call without an attempt never reached HTTP, an id without a call never
 * reached the record.  Only what both logs cover in time is compared, only clients of which some id
 * is found, and only user agents under which one is.  A client without ids is compared by its count
 * with the calls of the user agents that bear its name.
 *
 * Units:  ns.
 * Owner:  lk_sdk_init/lk_sdk_release.
 * Errors: EOOM.
 * Cost:   32 bytes for each of at most 1,048,576 calls with an id, 16 for each of at most 1,048,576
 *         attempts whose id is unknown to the record (repeated ones are merged when it is full), and 48 for
 *         each user agent.  Past a bound the counts stay exact and what is missing is not told.
 * Source: lockstep-formats(5).  */
#ifndef LK_LINK_SDK_H
#define LK_LINK_SDK_H

#include "base/slice.h"
#include "link/group.h"
#include "model/attempt.h"
#include "model/report.h"

enum { LK_SDK_LENGTHS = 1024, LK_SDK_CLIENTS = 256, LK_SDK_CLIENT_MAX = 96, LK_SDK_IDS_MAX = 1 << 20 };

/* One closed call. */
typedef struct lk_sdk_call {
    int64_t at_ns;   /* its start                                          */
    double span_s;   /* NAN = not logged                                   */
    uint64_t id;     /* lk_hash of the call id, or of the trace; 0 = none  */
    uint64_t attempts;
    lk_slice client; /* user agent or name; empty = not logged             */
    bool failed;
} lk_sdk_call;

typedef struct lk_sdk_client {
    char name[LK_SDK_CLIENT_MAX];
    size_t len;
    uint64_t calls, with_id; /* all; of them with an id */
    uint64_t covered, found; /* with an id, while the access log lasts; of them with an attempt */
} lk_sdk_client;

typedef struct lk_sdk_id {
    uint64_t id;
    int64_t at_ns, end_ns;
    uint16_t client;
    bool is_found;
} lk_sdk_id;

/* The id of an attempt that the record does not know. */
typedef struct lk_sdk_stranger {
    uint64_t id;
    uint32_t population;
    uint8_t column;
} lk_sdk_stranger;

/* One user agent of the access log. */
typedef struct lk_sdk_agent {
    uint64_t attempts, with_id[LK_IDS]; /* while the record lasts        */
    uint64_t found;                     /* attempts of calls of the record */
    uint64_t calls;                     /* as linked, while the record lasts */
} lk_sdk_agent;

typedef struct lk_sdk {
    uint64_t calls, failed, recovered, filtered;
    uint64_t lengths[LK_SDK_LENGTHS + 1];
    uint64_t most;
    uint64_t spans[LK_PAUSES_MAX + 1], timed; /* by lk_pause_cell */
    double span_sum_s, span_max_s;
    int64_t first_ns, last_ns; /* of the starts; LK_TIME_NONE = no call */
    lk_sdk_client clients[LK_SDK_CLIENTS];
    size_t client_count;
    lk_sdk_id *ids; /* sorted by id once the record is read */
    size_t id_count, id_cap;
    lk_sdk_stranger *strangers;
    size_t stranger_count, stranger_cap;
    lk_sdk_agent *agents; /* by population */
    size_t agent_count;
    uint64_t found[LK_IDS];  /* attempts by the column that found their call */
    int64_t http_from_ns, http_to_ns; /* LK_TIME_NONE = no attempt */
    bool is_sorted;
    bool lost_ids, lost_strangers; /* a bound was met */
} lk_sdk;

void lk_sdk_init(lk_sdk *s);
void lk_sdk_release(lk_sdk *s);

/* since/until: LK_TIME_NONE = open. */
LK_MUST_CHECK lk_code lk_sdk_add(lk_sdk *s, const lk_sdk_call *call, int64_t since_ns,
                                 int64_t until_ns, lk_err *e);

/* The access log, after the record: every attempt, and every call that was linked. */
LK_MUST_CHECK lk_code lk_sdk_attempt(lk_sdk *s, const lk_attempt *a, lk_err *e);
LK_MUST_CHECK lk_code lk_sdk_linked(lk_sdk *s, uint32_t population, int64_t first_ns, lk_err *e);

/* Puts its counts in place of the linked ones; open calls stay as the log shows them. */
void lk_sdk_report(lk_sdk *s, const lk_symbols *symbols, lk_report *r);

#endif
