#include "format/json_keys.h"

#include "format/layout.h"

#include <assert.h>
#include <string.h>

typedef struct key_row {
    const char *key;
    size_t len;
    lk_jsonl_field field;
    lk_id_kind kind; /* of an id */
} key_row;

/* clang-format off */
#define ROW(key, field, kind) { key, sizeof(key) - 1, field, kind }

static const key_row KEYS[] = {
    ROW("msec",                        LK_JSONL_MSEC,            0),
    ROW("time_iso8601",                LK_JSONL_TIME,            0),
    ROW("timestamp",                   LK_JSONL_TIME,            0),
    ROW("ts",                          LK_JSONL_TIME,            0),
    ROW("time",                        LK_JSONL_TIME,            0),
    ROW("datetime",                    LK_JSONL_TIME,            0),
    ROW("@timestamp",                  LK_JSONL_TIME,            0),
    ROW("time_local",                  LK_JSONL_TIME,            0),
    ROW("client_ip",                   LK_JSONL_CALLER,          0),
    ROW("clientip",                    LK_JSONL_CALLER,          0),
    ROW("client_addr",                 LK_JSONL_CALLER,          0),
    ROW("client_address",              LK_JSONL_CALLER,          0),
    ROW("client",                      LK_JSONL_CALLER,          0),
    ROW("remote_addr",                 LK_JSONL_CALLER,          0),
    ROW("remote_address",              LK_JSONL_CALLER,          0),
    ROW("remote_ip",                   LK_JSONL_CALLER,          0),
    ROW("remote_host",                 LK_JSONL_CALLER,          0),
    ROW("source_ip",                   LK_JSONL_CALLER,          0),
    ROW("addr",                        LK_JSONL_CALLER,          0),
    ROW("ip",                          LK_JSONL_CALLER,          0),
    ROW("request_method",              LK_JSONL_METHOD,          0),
    ROW("method",                      LK_JSONL_METHOD,          0),
    ROW("verb",                        LK_JSONL_METHOD,          0),
    ROW("m",                           LK_JSONL_METHOD,          0),
    ROW("request_uri",                 LK_JSONL_TARGET,          0),
    ROW("uri",                         LK_JSONL_TARGET,          0),
    ROW("request_path",                LK_JSONL_TARGET,          0),
    ROW("path",                        LK_JSONL_TARGET,          0),
    ROW("request_url",                 LK_JSONL_TARGET,          0),
    ROW("url",                         LK_JSONL_TARGET,          0),
    ROW("request",                     LK_JSONL_REQUEST,         0),
    ROW("request_line",                LK_JSONL_REQUEST,         0),
    ROW("status",                      LK_JSONL_STATUS,          0),
    ROW("status_code",                 LK_JSONL_STATUS,          0),
    ROW("response_code",               LK_JSONL_STATUS,          0),
    ROW("response_status",             LK_JSONL_STATUS,          0),
    ROW("code",                        LK_JSONL_STATUS,          0),
    ROW("st",                          LK_JSONL_STATUS,          0),
    ROW("request_time",                LK_JSONL_TOOK,            0),
    ROW("duration",                    LK_JSONL_TOOK,            0),
    ROW("duration_s",                  LK_JSONL_TOOK,            0),
    ROW("request_time_s",              LK_JSONL_TOOK,            0),
    ROW("rt",                          LK_JSONL_TOOK,            0),
    ROW("duration_ms",                 LK_JSONL_TOOK_MS,         0),
    ROW("request_time_ms",             LK_JSONL_TOOK_MS,         0),
    ROW("response_time_ms",            LK_JSONL_TOOK_MS,         0),
    ROW("latency_ms",                  LK_JSONL_TOOK_MS,         0),
    ROW("elapsed_ms",                  LK_JSONL_TOOK_MS,         0),
    ROW("took_ms",                     LK_JSONL_TOOK_MS,         0),
    ROW("user_agent",                  LK_JSONL_AGENT,           0),
    ROW("useragent",                   LK_JSONL_AGENT,           0),
    ROW("agent",                       LK_JSONL_AGENT,           0),
    ROW("ua",                          LK_JSONL_AGENT,           0),
    ROW("attempt",                     LK_JSONL_ATTEMPT,         0),
    ROW("attempt_no",                  LK_JSONL_ATTEMPT,         0),
    ROW("attempt_number",              LK_JSONL_ATTEMPT,         0),
    ROW("amz_sdk_request",             LK_JSONL_ATTEMPT,         0),
    ROW("amz",                         LK_JSONL_ATTEMPT,         0),
    ROW("x_envoy_attempt_count",       LK_JSONL_ATTEMPT,         0),
    ROW("x_stainless_retry_count",     LK_JSONL_RETRIES,         0),
    ROW("retry_count",                 LK_JSONL_RETRIES,         0),
    ROW("retries",                     LK_JSONL_RETRIES,         0),
    ROW("x_cloudtasks_taskretrycount", LK_JSONL_RETRIES,         0),
    ROW("grpc_previous_rpc_attempts",  LK_JSONL_RETRIES,         0),
    ROW("sent_http_retry_after",       LK_JSONL_RETRY_AFTER,     0),
    ROW("retry_after",                 LK_JSONL_RETRY_AFTER,     0),
    ROW("retry_after_s",               LK_JSONL_RETRY_AFTER,     0),
    ROW("upstream_http_retry_after",   LK_JSONL_RETRY_AFTER,     0),
    ROW("ra",                          LK_JSONL_RETRY_AFTER,     0),
    ROW("retry_after_ms",              LK_JSONL_RETRY_AFTER_MS,  0),
    /* ids, in order of preference */
    ROW("amz_sdk_invocation_id",       LK_JSONL_ID,              LK_ID_CALL),
    ROW("invocation_id",               LK_JSONL_ID,              LK_ID_CALL),
    ROW("sdk_invocation_id",           LK_JSONL_ID,              LK_ID_CALL),
    ROW("gccl_invocation_id",          LK_JSONL_ID,              LK_ID_CALL),
    ROW("x_ms_client_request_id",      LK_JSONL_ID,              LK_ID_CALL),
    ROW("inv",                         LK_JSONL_ID,              LK_ID_CALL),
    ROW("idempotency_key",             LK_JSONL_ID,              LK_ID_IDEMPOTENCY),
    ROW("x_idempotency_key",           LK_JSONL_ID,              LK_ID_IDEMPOTENCY),
    ROW("idem",                        LK_JSONL_ID,              LK_ID_IDEMPOTENCY),
    ROW("x_request_id",                LK_JSONL_ID,              LK_ID_REQUEST),
    ROW("request_id",                  LK_JSONL_ID,              LK_ID_REQUEST),
    ROW("req_id",                      LK_JSONL_ID,              LK_ID_REQUEST),
    ROW("rid",                         LK_JSONL_ID,              LK_ID_REQUEST),
    ROW("correlation_id",              LK_JSONL_ID,              LK_ID_REQUEST),
    ROW("x_correlation_id",            LK_JSONL_ID,              LK_ID_REQUEST),
    ROW("trace_id",                    LK_JSONL_ID,              LK_ID_REQUEST),
    ROW("x_task_id",                   LK_JSONL_ID,              LK_ID_TASK),
    ROW("task_id",                     LK_JSONL_ID,              LK_ID_TASK),
    ROW("x_cloudtasks_taskname",       LK_JSONL_ID,              LK_ID_TASK),
    ROW("job_id",                      LK_JSONL_ID,              LK_ID_TASK),
};
/* clang-format on */

enum { KEY_COUNT = sizeof(KEYS) / sizeof(KEYS[0]), IDS_FIRST = KEY_COUNT - 20, KEY_MAX = 48 };

_Static_assert(KEY_COUNT <= 128, "lk_sniffer.keys_seen holds 128 bits");
_Static_assert(KEY_COUNT - IDS_FIRST <= LK_ID_KEYS_MAX, "lk_layout.key_slot is too short");

uint8_t lk_jsonl_row_count(void)
{
    return KEY_COUNT;
}

lk_jsonl_field lk_jsonl_row_field(uint8_t row)
{
    assert(row < KEY_COUNT);
    return KEYS[row].field;
}

const char *lk_jsonl_row_key(uint8_t row)
{
    assert(row < KEY_COUNT);
    return KEYS[row].key;
}

uint8_t lk_jsonl_id_count(void)
{
    return KEY_COUNT - IDS_FIRST;
}

uint8_t lk_jsonl_id_row(uint8_t id)
{
    return (uint8_t)(IDS_FIRST + id);
}

uint8_t lk_jsonl_row_id(uint8_t row)
{
    return (uint8_t)(row - IDS_FIRST);
}

lk_id_kind lk_jsonl_id_kind(uint8_t id)
{
    return KEYS[lk_jsonl_id_row(id)].kind;
}

static bool is_capital(char c)
{
    return c >= 'A' && c <= 'Z';
}

/* In small letters, '_' for '-'. */
static char plain_byte(char c)
{
    if (is_capital(c))
        return (char)(c | 0x20);
    if (c == '-')
        return '_';
    return c;
}

/* Into `out`; 0 when the key is longer than any row's. */
static size_t plain_key(lk_slice key, char out[KEY_MAX])
{
    size_t n = 0;

    for (size_t i = 0; i < key.len; i++) {
        char c = key.p[i];

        if (n + 2 > KEY_MAX)
            return 0;
        if (is_capital(c) && i > 0 && !is_capital(key.p[i - 1]) && out[n - 1] != '_')
            out[n++] = '_';
        out[n++] = plain_byte(c);
    }
    return n;
}

static uint8_t find_row(const char *key, size_t len)
{
    for (size_t i = 0; i < KEY_COUNT; i++)
        if (KEYS[i].len == len && memcmp(KEYS[i].key, key, len) == 0)
            return (uint8_t)i;
    return LK_JSONL_ROW_OTHER;
}

uint8_t lk_jsonl_row(lk_slice key)
{
    static const char PREFIX[] = "http_";
    const size_t prefix_len = sizeof(PREFIX) - 1;
    char plain[KEY_MAX] = { 0 };
    size_t len = plain_key(key, plain);
    uint8_t row = find_row(plain, len);

    if (row == LK_JSONL_ROW_OTHER && len > prefix_len && memcmp(plain, PREFIX, prefix_len) == 0)
        row = find_row(plain + prefix_len, len - prefix_len);
    return row;
}
