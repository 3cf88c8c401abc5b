/* The row of AWS S3 server access logs.
 *
 *     owner bucket [stamp] address requester id operation key "request" status error bytes size
 *     total-ms turnaround-ms "referer" "user agent" version host-id signature cipher auth host ...
 *
 * The stamp is when the request came, in whole seconds.  What S3 does of its own accord (expiry) has
 * no status and is no request. */
#include "base/time.h"
#include "format/aws_columns.h"
#include "format/request.h"
#include "format/rows.h"
#include "format/value.h"

#include <string.h>

enum column {
    OWNER,
    BUCKET,
    STAMP,
    ZONE,
    ADDRESS,
    REQUEST = ADDRESS + 5,
    STATUS,
    TOTAL_MS = STATUS + 4,
    AGENT = TOTAL_MS + 3,
    HOST = AGENT + 6,
    COLUMNS
};

enum { OWNER_LEN = 64 };
#define TOTAL_MS_MAX UINT64_C(100000000000)

static bool is_owner(lk_slice v)
{
    if (lk_value_is_absent(v))
        return true;
    for (size_t i = 0; i < v.len; i++)
        if (!(v.p[i] >= '0' && v.p[i] <= '9') && !(v.p[i] >= 'a' && v.p[i] <= 'f'))
            return false;
    return v.len == OWNER_LEN;
}

/* "[30/Nov/2026:03:25:00" */
static bool opens_stamp(lk_slice v)
{
    return v.len > 1 && v.p[0] == '[';
}

/* As many of the columns as there are; the signature is the owner and the bracket. */
static bool split(lk_slice line, lk_slice columns[COLUMNS], size_t *count)
{
    for (*count = 0; *count < COLUMNS && lk_aws_column(&line, &columns[*count]); ++*count) {
        if (*count == OWNER && !is_owner(columns[OWNER]))
            return false;
        if (*count == STAMP && !opens_stamp(columns[STAMP]))
            return false;
    }
    return *count > STAMP;
}

/* Between the brackets; the two columns are one text. */
static bool read_stamp(lk_parse_cache *c, lk_slice from, lk_slice zone, lk_fields *out)
{
    const char *first = from.p + 1, *last = zone.p + zone.len - 1;

    return zone.len > 1 && *last == ']' &&
           lk_cache_stamp(c, (lk_slice){ first, (size_t)(last - first) }, lk_time_clf,
                          &out->stamp_ns, &out->fraction);
}

static lk_slice present(const lk_slice *columns, size_t count, size_t i)
{
    return i < count && !lk_value_is_absent(columns[i]) ? columns[i] : LK_SLICE_NONE;
}

static void fill(const lk_slice *columns, size_t count, lk_fields *out)
{
    lk_slice total = present(columns, count, TOTAL_MS);
    uint64_t ms;

    out->moment = LK_MOMENT_START;
    out->caller = columns[ADDRESS];
    if (lk_slice_u64(total, &ms) && ms <= TOTAL_MS_MAX)
        out->took_ns = (int64_t)ms * LK_NS_PER_MS;
    (void)lk_request_read(columns[REQUEST], out);
    out->agent = present(columns, count, AGENT);
    out->host = lk_aws_host(present(columns, count, HOST));
}

static lk_reject read_line(lk_parse_cache *c, lk_slice line, lk_fields *out)
{
    lk_slice columns[COLUMNS];
    size_t count;

    lk_fields_init(out);
    if (!split(line, columns, &count))
        return LK_REJECT_UNRECOGNISED;
    if (count <= ZONE)
        return LK_REJECT_CUT;
    if (!read_stamp(c, columns[STAMP], columns[ZONE], out))
        return LK_REJECT_TIMESTAMP;
    if (count <= STATUS)
        return LK_REJECT_CUT;
    if (!lk_aws_status(columns[STATUS], &out->status))
        return LK_REJECT_STATUS;
    fill(columns, count, out);
    return LK_REJECT_NONE;
}

static bool parse_s3(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_fields *out,
                     lk_reject *why)
{
    lk_reject reason = read_line(c, line, out);

    (void)l;
    if (reason == LK_REJECT_NONE)
        return true;
    *why = reason;
    return false;
}

static bool observe_s3(lk_sniffer *s, lk_parse_cache *c, lk_slice line, lk_fields *out)
{
    (void)s;
    return read_line(c, line, out) == LK_REJECT_NONE;
}

static void decide_s3(const lk_sniffer *s, lk_layout *out)
{
    (void)s;
    out->moment = LK_MOMENT_START;
}

const lk_format LK_FORMAT_AWS_S3 = {
    .name = "aws-s3",
    .moment = "start",
    .resolution = "1 s",
    .help = "server access log of AWS S3",
    .parse = parse_s3,
    .observe = observe_s3,
    .decide = decide_s3,
};
