#include "format/json_keys.h"

#include "format/layout.h"

#include <assert.h>
#include <string.h>

typedef struct key_row {
    const char *key;
    size_t len;
    lk_jsonl_meaning means;
    lk_id_kind kind; /* of an id */
} key_row;

/* clang-format off */
#define NAME(key) key, sizeof(key) - 1

static const key_row KEYS[] = {
    { NAME("usec"),                                    { LK_JSONL_MSEC,           0,              0,                0                      }, 0 },
    { NAME("msec"),                                    { LK_JSONL_MSEC,           0,              0,                0                      }, 0 },
    { NAME("start_utc"),                               { LK_JSONL_TIME,           0,              LK_MOMENT_START,  0                      }, 0 },
    { NAME("start_local"),                             { LK_JSONL_TIME,           0,              LK_MOMENT_START,  0                      }, 0 },
    { NAME("start_time"),                              { LK_JSONL_TIME,           0,              LK_MOMENT_START,  LK_SIGN_ENVOY_START    }, 0 },
    { NAME("edge_start_timestamp"),                    { LK_JSONL_TIME,           0,              LK_MOMENT_START,  0                      }, 0 },
    { NAME("request_time_epoch"),                      { LK_JSONL_TIME,           0,              LK_MOMENT_START,  LK_SIGN_APIGW_EPOCH    }, 0 },
    { NAME("event.start"),                             { LK_JSONL_TIME,           0,              LK_MOMENT_START,  0                      }, 0 },
    { NAME("time_stamp"),                              { LK_JSONL_TIME,           0,              0,                LK_SIGN_APPGW_V2       }, 0 },
    { NAME("time_iso8601"),                            { LK_JSONL_TIME,           0,              0,                0                      }, 0 },
    { NAME("timestamp"),                               { LK_JSONL_TIME,           0,              0,                0                      }, 0 },
    { NAME("ts"),                                      { LK_JSONL_TIME,           0,              0,                0                      }, 0 },
    { NAME("time"),                                    { LK_JSONL_TIME,           0,              0,                0                      }, 0 },
    { NAME("datetime"),                                { LK_JSONL_TIME,           0,              0,                0                      }, 0 },
    { NAME("@timestamp"),                              { LK_JSONL_TIME,           0,              0,                0                      }, 0 },
    { NAME("time_local"),                              { LK_JSONL_TIME,           0,              0,                0                      }, 0 },
    { NAME("t"),                                       { LK_JSONL_TIME,           0,              0,                0                      }, 0 },
    { NAME("edge_end_timestamp"),                      { LK_JSONL_END,            0,              0,                0                      }, 0 },
    { NAME("event.end"),                               { LK_JSONL_END,            0,              0,                0                      }, 0 },
    { NAME("client_host"),                             { LK_JSONL_CALLER,         0,              0,                0                      }, 0 },
    { NAME("client_ip"),                               { LK_JSONL_CALLER,         0,              0,                0                      }, 0 },
    { NAME("clientip"),                                { LK_JSONL_CALLER,         0,              0,                0                      }, 0 },
    { NAME("client_addr"),                             { LK_JSONL_CALLER,         0,              0,                0                      }, 0 },
    { NAME("client_address"),                          { LK_JSONL_CALLER,         0,              0,                0                      }, 0 },
    { NAME("client"),                                  { LK_JSONL_CALLER,         0,              0,                0                      }, 0 },
    { NAME("remote_addr"),                             { LK_JSONL_CALLER,         0,              0,                0                      }, 0 },
    { NAME("remote_address"),                          { LK_JSONL_CALLER,         0,              0,                0                      }, 0 },
    { NAME("remote_ip"),                               { LK_JSONL_CALLER,         0,              0,                0                      }, 0 },
    { NAME("remote_host"),                             { LK_JSONL_CALLER,         0,              0,                0                      }, 0 },
    { NAME("source_ip"),                               { LK_JSONL_CALLER,         0,              0,                0                      }, 0 },
    { NAME("addr"),                                    { LK_JSONL_CALLER,         0,              0,                0                      }, 0 },
    { NAME("ip"),                                      { LK_JSONL_CALLER,         0,              0,                0                      }, 0 },
    { NAME("request.client_ip"),                       { LK_JSONL_CALLER,         0,              0,                0                      }, 0 },
    { NAME("request.remote_ip"),                       { LK_JSONL_CALLER,         0,              0,                0                      }, 0 },
    { NAME("request.remote_addr"),                     { LK_JSONL_CALLER,         0,              0,                0                      }, 0 },
    { NAME("http_request.remote_ip"),                  { LK_JSONL_CALLER,         0,              0,                0                      }, 0 },
    { NAME("properties.client_ip"),                    { LK_JSONL_CALLER,         0,              0,                0                      }, 0 },
    { NAME("client.ip"),                               { LK_JSONL_CALLER,         0,              0,                0                      }, 0 },
    { NAME("source.ip"),                               { LK_JSONL_CALLER,         0,              0,                0                      }, 0 },
    { NAME("client.address"),                          { LK_JSONL_CALLER,         0,              0,                0                      }, 0 },
    { NAME("source.address"),                          { LK_JSONL_CALLER,         0,              0,                0                      }, 0 },
    { NAME("identity.source_ip"),                      { LK_JSONL_CALLER,         0,              0,                0                      }, 0 },
    { NAME("x_forwarded_for"),                         { LK_JSONL_CALLER,         0,              0,                0                      }, 0 },
    { NAME("xff"),                                     { LK_JSONL_CALLER,         0,              0,                0                      }, 0 },
    { NAME("downstream_remote_address"),               { LK_JSONL_CALLER,         0,              0,                0                      }, 0 },
    { NAME("request_method"),                          { LK_JSONL_METHOD,         0,              0,                0                      }, 0 },
    { NAME("method"),                                  { LK_JSONL_METHOD,         0,              0,                0                      }, 0 },
    { NAME("verb"),                                    { LK_JSONL_METHOD,         0,              0,                0                      }, 0 },
    { NAME("m"),                                       { LK_JSONL_METHOD,         0,              0,                0                      }, 0 },
    { NAME("http_method"),                             { LK_JSONL_METHOD,         0,              0,                LK_SIGN_APIGW_KEY      }, 0 },
    { NAME("request.method"),                          { LK_JSONL_METHOD,         0,              0,                0                      }, 0 },
    { NAME("http_request.request_method"),             { LK_JSONL_METHOD,         0,              0,                LK_SIGN_GCP            }, 0 },
    { NAME("properties.http_method"),                  { LK_JSONL_METHOD,         0,              0,                0                      }, 0 },
    { NAME("client_request_method"),                   { LK_JSONL_METHOD,         0,              0,                0                      }, 0 },
    { NAME("http.method"),                             { LK_JSONL_METHOD,         0,              0,                0                      }, 0 },
    { NAME("http.request.method"),                     { LK_JSONL_METHOD,         0,              0,                0                      }, 0 },
    { NAME("request_uri"),                             { LK_JSONL_TARGET,         0,              0,                0                      }, 0 },
    { NAME("uri"),                                     { LK_JSONL_TARGET,         0,              0,                0                      }, 0 },
    { NAME("request_path"),                            { LK_JSONL_TARGET,         0,              0,                0                      }, 0 },
    { NAME("path"),                                    { LK_JSONL_TARGET,         0,              0,                0                      }, 0 },
    { NAME("request_url"),                             { LK_JSONL_TARGET,         0,              0,                0                      }, 0 },
    { NAME("url"),                                     { LK_JSONL_TARGET,         0,              0,                0                      }, 0 },
    { NAME("request.uri"),                             { LK_JSONL_TARGET,         0,              0,                LK_SIGN_CADDY_URI      }, 0 },
    { NAME("http_request.request_url"),                { LK_JSONL_TARGET,         0,              0,                LK_SIGN_GCP            }, 0 },
    { NAME("properties.original_request_uri_with_args"), { LK_JSONL_TARGET,         0,              0,                0                      }, 0 },
    { NAME("properties.request_uri"),                  { LK_JSONL_TARGET,         0,              0,                0                      }, 0 },
    { NAME("client_request_uri"),                      { LK_JSONL_TARGET,         0,              0,                0                      }, 0 },
    { NAME("client_request_path"),                     { LK_JSONL_TARGET,         0,              0,                0                      }, 0 },
    { NAME("url.path"),                                { LK_JSONL_TARGET,         0,              0,                0                      }, 0 },
    { NAME("http.target"),                             { LK_JSONL_TARGET,         0,              0,                0                      }, 0 },
    { NAME("url.original"),                            { LK_JSONL_TARGET,         0,              0,                0                      }, 0 },
    { NAME("resource_path"),                           { LK_JSONL_TARGET,         0,              0,                LK_SIGN_APIGW_KEY      }, 0 },
    { NAME("request"),                                 { LK_JSONL_REQUEST,        0,              0,                0                      }, 0 },
    { NAME("request_line"),                            { LK_JSONL_REQUEST,        0,              0,                0                      }, 0 },
    { NAME("r"),                                       { LK_JSONL_REQUEST,        0,              0,                0                      }, 0 },
    { NAME("req"),                                    { LK_JSONL_REQUEST,        0,             0,                0                      }, 0 },
    { NAME("route_key"),                               { LK_JSONL_REQUEST,        0,              0,                LK_SIGN_APIGW_KEY      }, 0 },
    { NAME("downstream_status"),                       { LK_JSONL_STATUS,         0,              0,                LK_SIGN_TRAEFIK        }, 0 },
    { NAME("edge_response_status"),                    { LK_JSONL_STATUS,         0,              0,                LK_SIGN_CLOUDFLARE     }, 0 },
    { NAME("status"),                                  { LK_JSONL_STATUS,         0,              0,                0                      }, 0 },
    { NAME("status_code"),                             { LK_JSONL_STATUS,         0,              0,                0                      }, 0 },
    { NAME("response_code"),                           { LK_JSONL_STATUS,         0,              0,                LK_SIGN_RESPONSE_CODE  }, 0 },
    { NAME("response_status"),                         { LK_JSONL_STATUS,         0,              0,                0                      }, 0 },
    { NAME("code"),                                    { LK_JSONL_STATUS,         0,              0,                0                      }, 0 },
    { NAME("st"),                                      { LK_JSONL_STATUS,         0,              0,                0                      }, 0 },
    { NAME("s"),                                       { LK_JSONL_STATUS,         0,              0,                0                      }, 0 },
    { NAME("http_request.status"),                     { LK_JSONL_STATUS,         0,              0,                0                      }, 0 },
    { NAME("properties.http_status"),                  { LK_JSONL_STATUS,         0,              0,                LK_SIGN_APPGW          }, 0 },
    { NAME("properties.http_status_code"),             { LK_JSONL_STATUS,         0,              0,                LK_SIGN_FRONTDOOR      }, 0 },
    { NAME("http.status_code"),                        { LK_JSONL_STATUS,         0,              0,                0                      }, 0 },
    { NAME("http.response.status_code"),               { LK_JSONL_STATUS,         0,              0,                LK_SIGN_ECS            }, 0 },
    { NAME("request_time"),                            { LK_JSONL_TOOK,           LK_JSONL_S,     0,                0                      }, 0 },
    { NAME("duration"),                                { LK_JSONL_TOOK,           0,              0,                0                      }, 0 },
    { NAME("duration_s"),                              { LK_JSONL_TOOK,           LK_JSONL_S,     0,                0                      }, 0 },
    { NAME("request_time_s"),                          { LK_JSONL_TOOK,           LK_JSONL_S,     0,                0                      }, 0 },
    { NAME("rt"),                                      { LK_JSONL_TOOK,           LK_JSONL_S,     0,                0                      }, 0 },
    { NAME("http_request.latency"),                    { LK_JSONL_TOOK,           LK_JSONL_S,     0,                0                      }, 0 },
    { NAME("properties.time_taken"),                   { LK_JSONL_TOOK,           0,              0,                0                      }, 0 },
    { NAME("D"),                                       { LK_JSONL_TOOK,           LK_JSONL_US,    0,                0                      }, 0 },
    { NAME("event.duration"),                          { LK_JSONL_TOOK,           LK_JSONL_NS,    0,                0                      }, 0 },
    { NAME("duration_us"),                                { LK_JSONL_TOOK,           LK_JSONL_US,   0,                0                      }, 0 },
    { NAME("request_time_us"),                            { LK_JSONL_TOOK,           LK_JSONL_US,   0,                0                      }, 0 },
    { NAME("response_time_us"),                           { LK_JSONL_TOOK,           LK_JSONL_US,   0,                0                      }, 0 },
    { NAME("latency_us"),                                 { LK_JSONL_TOOK,           LK_JSONL_US,   0,                0                      }, 0 },
    { NAME("elapsed_us"),                                 { LK_JSONL_TOOK,           LK_JSONL_US,   0,                0                      }, 0 },
    { NAME("took_us"),                                    { LK_JSONL_TOOK,           LK_JSONL_US,   0,                0                      }, 0 },
    { NAME("duration_ns"),                                { LK_JSONL_TOOK,           LK_JSONL_NS,   0,                0                      }, 0 },
    { NAME("latency"),                                    { LK_JSONL_TOOK,           LK_JSONL_OWN,  0,                0                      }, 0 },
    { NAME("elapsed"),                                    { LK_JSONL_TOOK,           LK_JSONL_OWN,  0,                0                      }, 0 },
    { NAME("response_time"),                              { LK_JSONL_TOOK,           LK_JSONL_OWN,  0,                0                      }, 0 },
    { NAME("took"),                                       { LK_JSONL_TOOK,           LK_JSONL_OWN,  0,                0                      }, 0 },
    { NAME("time_taken"),                                 { LK_JSONL_TOOK,           LK_JSONL_OWN,  0,                0                      }, 0 },
    { NAME("duration_ms"),                             { LK_JSONL_TOOK_MS,        LK_JSONL_MS,    0,                0                      }, 0 },
    { NAME("request_time_ms"),                         { LK_JSONL_TOOK_MS,        LK_JSONL_MS,    0,                0                      }, 0 },
    { NAME("response_time_ms"),                        { LK_JSONL_TOOK_MS,        LK_JSONL_MS,    0,                0                      }, 0 },
    { NAME("latency_ms"),                              { LK_JSONL_TOOK_MS,        LK_JSONL_MS,    0,                0                      }, 0 },
    { NAME("elapsed_ms"),                              { LK_JSONL_TOOK_MS,        LK_JSONL_MS,    0,                0                      }, 0 },
    { NAME("took_ms"),                                 { LK_JSONL_TOOK_MS,        LK_JSONL_MS,    0,                0                      }, 0 },
    { NAME("ta"),                                     { LK_JSONL_TOOK_MS,        LK_JSONL_MS,   0,                0                      }, 0 },
    { NAME("response_latency"),                        { LK_JSONL_TOOK_MS,        LK_JSONL_MS,    0,                0                      }, 0 },
    { NAME("user_agent"),                              { LK_JSONL_AGENT,          0,              0,                0                      }, 0 },
    { NAME("useragent"),                               { LK_JSONL_AGENT,          0,              0,                0                      }, 0 },
    { NAME("agent"),                                   { LK_JSONL_AGENT,          0,              0,                0                      }, 0 },
    { NAME("ua"),                                      { LK_JSONL_AGENT,          0,              0,                0                      }, 0 },
    { NAME("request.headers.user_agent"),                { LK_JSONL_AGENT,          0,              0,                0                      }, 0 },
    { NAME("http_request.user_agent"),                 { LK_JSONL_AGENT,          0,              0,                0                      }, 0 },
    { NAME("properties.user_agent"),                   { LK_JSONL_AGENT,          0,              0,                0                      }, 0 },
    { NAME("client_request_user_agent"),               { LK_JSONL_AGENT,          0,              0,                0                      }, 0 },
    { NAME("user_agent.original"),                     { LK_JSONL_AGENT,          0,              0,                0                      }, 0 },
    { NAME("headers.user_agent"),                      { LK_JSONL_AGENT,          0,              0,                0                      }, 0 },
    { NAME("req.headers.user_agent"),                  { LK_JSONL_AGENT,          0,              0,                0                      }, 0 },
    { NAME("request_headers.user_agent"),              { LK_JSONL_AGENT,          0,              0,                0                      }, 0 },
    { NAME("http.request.headers.user_agent"),         { LK_JSONL_AGENT,          0,              0,                0                      }, 0 },
    { NAME("identity.user_agent"),                     { LK_JSONL_AGENT,          0,              0,                0                      }, 0 },
    { NAME("attempt"),                                 { LK_JSONL_ATTEMPT,        0,              0,                0                      }, 0 },
    { NAME("attempt_no"),                              { LK_JSONL_ATTEMPT,        0,              0,                0                      }, 0 },
    { NAME("attempt_number"),                          { LK_JSONL_ATTEMPT,        0,              0,                0                      }, 0 },
    { NAME("amz_sdk_request"),                         { LK_JSONL_ATTEMPT,        0,              0,                0                      }, 0 },
    { NAME("amz"),                                     { LK_JSONL_ATTEMPT,        0,              0,                0                      }, 0 },
    { NAME("x_envoy_attempt_count"),                   { LK_JSONL_ATTEMPT,        0,              0,                0                      }, 0 },
    { NAME("approximate_receive_count"),               { LK_JSONL_ATTEMPT,        0,              0,                0                      }, 0 },
    { NAME("attributes.approximate_receive_count"),    { LK_JSONL_ATTEMPT,        0,              0,                0                      }, 0 },
    { NAME("x_aws_sqsd_receive_count"),                { LK_JSONL_ATTEMPT,        0,              0,                0                      }, 0 },
    { NAME("gccl_attempt_count"),                      { LK_JSONL_ATTEMPT,        0,              0,                0                      }, 0 },
    { NAME("delivery_attempt"),                        { LK_JSONL_ATTEMPT,        0,              0,                0                      }, 0 },
    { NAME("x_stainless_retry_count"),                 { LK_JSONL_RETRIES,        0,              0,                0                      }, 0 },
    { NAME("retry_count"),                             { LK_JSONL_RETRIES,        0,              0,                0                      }, 0 },
    { NAME("retries"),                                 { LK_JSONL_RETRIES,        0,              0,                0                      }, 0 },
    { NAME("x_cloudtasks_taskretrycount"),             { LK_JSONL_RETRIES,        0,              0,                0                      }, 0 },
    { NAME("grpc_previous_rpc_attempts"),              { LK_JSONL_RETRIES,        0,              0,                0                      }, 0 },
    { NAME("x_cloud_tasks_task_retry_count"),          { LK_JSONL_RETRIES,        0,              0,                0                      }, 0 },
    { NAME("x_appengine_taskretrycount"),              { LK_JSONL_RETRIES,        0,              0,                0                      }, 0 },
    { NAME("x_app_engine_task_retry_count"),           { LK_JSONL_RETRIES,        0,              0,                0                      }, 0 },
    { NAME("sent_http_retry_after"),                   { LK_JSONL_RETRY_AFTER,    LK_JSONL_S,     0,                0                      }, 0 },
    { NAME("retry_after"),                             { LK_JSONL_RETRY_AFTER,    LK_JSONL_S,     0,                0                      }, 0 },
    { NAME("retry_after_s"),                           { LK_JSONL_RETRY_AFTER,    LK_JSONL_S,     0,                0                      }, 0 },
    { NAME("upstream_http_retry_after"),               { LK_JSONL_RETRY_AFTER,    LK_JSONL_S,     0,                0                      }, 0 },
    { NAME("ra"),                                      { LK_JSONL_RETRY_AFTER,    LK_JSONL_S,     0,                0                      }, 0 },
    { NAME("resp_headers.retry_after"),                { LK_JSONL_RETRY_AFTER,    LK_JSONL_S,     0,                0                      }, 0 },
    { NAME("downstream_retry_after"),                  { LK_JSONL_RETRY_AFTER,    LK_JSONL_S,     0,                0                      }, 0 },
    { NAME("origin_retry_after"),                      { LK_JSONL_RETRY_AFTER,    LK_JSONL_S,     0,                0                      }, 0 },
    { NAME("upstream_status"),                         { LK_JSONL_UPSTREAM_STATUS, 0,             0,                0                      }, 0 },
    { NAME("upstream_response_time"),                  { LK_JSONL_UPSTREAM_TOOK,  0,              0,                0                      }, 0 },
    { NAME("properties.server_status"),                { LK_JSONL_UPSTREAM_STATUS, 0,             0,                0                      }, 0 },
    { NAME("properties.server_response_latency"),      { LK_JSONL_UPSTREAM_TOOK,  0,              0,                0                      }, 0 },
    { NAME("us"),                                     { LK_JSONL_UPSTREAM_STATUS, 0,             0,                0                      }, 0 },
    { NAME("urt"),                                    { LK_JSONL_UPSTREAM_TOOK,  0,             0,                0                      }, 0 },
    { NAME("ut"),                                     { LK_JSONL_UPSTREAM_TOOK,  0,             0,                0                      }, 0 },
    { NAME("x_ms_retry_after_ms"),                     { LK_JSONL_RETRY_AFTER_MS, LK_JSONL_MS,    0,                0                      }, 0 },
    { NAME("x_amz_retry_after"),                       { LK_JSONL_RETRY_AFTER_MS, LK_JSONL_MS,    0,                0                      }, 0 },
    { NAME("retry_after_ms"),                          { LK_JSONL_RETRY_AFTER_MS, LK_JSONL_MS,    0,                0                      }, 0 },
    { NAME("host"),                                    { LK_JSONL_HOST,           0,              0,                0                      }, 0 },
    { NAME("vhost"),                                   { LK_JSONL_HOST,           0,              0,                0                      }, 0 },
    { NAME("authority"),                               { LK_JSONL_HOST,           0,              0,                0                      }, 0 },
    { NAME("request_host"),                            { LK_JSONL_HOST,           0,              0,                0                      }, 0 },
    { NAME("request.host"),                            { LK_JSONL_HOST,           0,              0,                0                      }, 0 },
    { NAME("client_request_host"),                     { LK_JSONL_HOST,           0,              0,                0                      }, 0 },
    { NAME("properties.original_host"),                { LK_JSONL_HOST,           0,              0,                0                      }, 0 },
    { NAME("properties.host_name"),                    { LK_JSONL_HOST,           0,              0,                0                      }, 0 },
    { NAME("properties.host"),                         { LK_JSONL_HOST,           0,              0,                0                      }, 0 },
    { NAME("url.domain"),                              { LK_JSONL_HOST,           0,              0,                0                      }, 0 },
    { NAME("args"),                                    { LK_JSONL_QUERY,          0,              0,                0                      }, 0 },
    { NAME("query_string"),                            { LK_JSONL_QUERY,          0,              0,                0                      }, 0 },
    { NAME("url.query"),                               { LK_JSONL_QUERY,          0,              0,                0                      }, 0 },
    { NAME("properties.request_query"),                { LK_JSONL_QUERY,          0,              0,                0                      }, 0 },
    { NAME("response_flags"),                          { LK_JSONL_FLAGS,          0,              0,                0                      }, 0 },
    { NAME("properties.error_info"),                   { LK_JSONL_FLAGS,          0,              0,                0                      }, 0 },
    { NAME("json_payload.status_details"),             { LK_JSONL_FLAGS,          0,              0,                0                      }, 0 },
    { NAME("upstream_request_attempt_count"),          { LK_JSONL_TRIES,          0,              0,                0                      }, 0 },
    { NAME("retry_attempts"),                          { LK_JSONL_TRIES_FROM_0,   0,              0,                0                      }, 0 },
    { NAME("request.proto"),                           { LK_JSONL_MARK,           0,              0,                LK_SIGN_CADDY_PROTO    }, 0 },
    { NAME("err_id"),                                  { LK_JSONL_MARK,           0,              0,                LK_SIGN_CADDY_ERROR    }, 0 },
    { NAME("listener_name"),                           { LK_JSONL_MARK,           0,              0,                LK_SIGN_APPGW_V2       }, 0 },
    /* ids, in order of preference; they stand last */
    { NAME("amz_sdk_invocation_id"),                   { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_CALL },
    { NAME("invocation_id"),                           { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_CALL },
    { NAME("sdk_invocation_id"),                       { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_CALL },
    { NAME("gccl_invocation_id"),                      { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_CALL },
    { NAME("x_goog_gcs_idempotency_token"),            { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_CALL },
    { NAME("x_ms_client_request_id"),                  { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_CALL },
    { NAME("inv"),                                     { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_CALL },
    { NAME("idempotency_key"),                         { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_IDEMPOTENCY },
    { NAME("x_idempotency_key"),                       { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_IDEMPOTENCY },
    { NAME("idem"),                                    { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_IDEMPOTENCY },
    { NAME("ce_id"),                                   { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_IDEMPOTENCY },
    { NAME("webhook_id"),                              { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_IDEMPOTENCY },
    { NAME("svix_id"),                                 { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_IDEMPOTENCY },
    { NAME("x_github_delivery"),                       { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_IDEMPOTENCY },
    { NAME("x_git_hub_delivery"),                      { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_IDEMPOTENCY },
    { NAME("x_amz_sns_message_id"),                    { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_IDEMPOTENCY },
    { NAME("x_request_id"),                            { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_REQUEST },
    { NAME("request_id"),                              { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_REQUEST },
    { NAME("req_id"),                                  { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_REQUEST },
    { NAME("rid"),                                     { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_REQUEST },
    { NAME("x_goog_api_client"),                       { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_CALL },
    { NAME("correlation_id"),                          { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_REQUEST },
    { NAME("x_correlation_id"),                        { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_REQUEST },
    { NAME("http.request.id"),                         { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_REQUEST },
    { NAME("ray_id"),                                  { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_REQUEST },
    { NAME("properties.transaction_id"),               { LK_JSONL_ID,             0,              0,                LK_SIGN_APPGW_V2       }, LK_ID_REQUEST },
    { NAME("properties.tracking_reference"),           { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_REQUEST },
    { NAME("extended_request_id"),                     { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_REQUEST },
    { NAME("trace_id"),                                { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_REQUEST },
    { NAME("trace.id"),                                { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_REQUEST },
    { NAME("traceparent"),                             { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_REQUEST },
    { NAME("x_task_id"),                               { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_TASK },
    { NAME("task_id"),                                 { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_TASK },
    { NAME("x_cloudtasks_taskname"),                   { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_TASK },
    { NAME("x_cloud_tasks_task_name"),                 { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_TASK },
    { NAME("x_appengine_taskname"),                    { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_TASK },
    { NAME("x_app_engine_task_name"),                  { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_TASK },
    { NAME("jid"),                                     { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_TASK },
    { NAME("x_sidekiq_jid"),                           { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_TASK },
    { NAME("sidekiq_jid"),                             { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_TASK },
    { NAME("x_aws_sqsd_msgid"),                        { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_TASK },
    { NAME("sqs_message_id"),                          { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_TASK },
    { NAME("message_id"),                              { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_TASK },
    { NAME("job_id"),                                  { LK_JSONL_ID,             0,              0,                0                      }, LK_ID_TASK },
};
/* clang-format on */

enum {
    KEY_COUNT = sizeof(KEYS) / sizeof(KEYS[0]),
    ROW_COUNT = LK_JSON_PATHS_MAX + KEY_COUNT,
    ID_COUNT = 44,
    IDS_FIRST = ROW_COUNT - ID_COUNT,
    PATH_MAX_LEN = LK_JSON_PATH_MAX - 1
};

_Static_assert((int)ROW_COUNT < (int)LK_JSONL_ROW_OTHER, "rows are numbered by a byte");
_Static_assert((int)ROW_COUNT <= 64 * LK_KEY_WORDS, "lk_sniffer.keys_seen is too short");
_Static_assert((int)ID_COUNT <= (int)LK_ID_KEYS_MAX, "lk_layout.key_slot is too short");

static const key_row *row_at(uint8_t row)
{
    assert(row >= LK_JSON_PATHS_MAX && row < ROW_COUNT);
    return &KEYS[row - LK_JSON_PATHS_MAX];
}

uint8_t lk_jsonl_row_count(void)
{
    return ROW_COUNT;
}

lk_jsonl_field lk_jsonl_row_field(uint8_t row)
{
    return (lk_jsonl_field)row_at(row)->means.field;
}

const char *lk_jsonl_row_key(uint8_t row)
{
    return row_at(row)->key;
}

const lk_jsonl_meaning *lk_jsonl_row_meaning(const lk_json_paths *paths, uint8_t row)
{
    return row < LK_JSON_PATHS_MAX ? &paths->path[row].means : &row_at(row)->means;
}

uint8_t lk_jsonl_id_count(void)
{
    return ID_COUNT;
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
    return row_at(lk_jsonl_id_row(id))->kind;
}

/* ---- plain letters ---- */

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

static bool begins_word(lk_slice key, size_t i, char last)
{
    return i > 0 && is_capital(key.p[i]) && !is_capital(key.p[i - 1]) && last != '_' && last != '.';
}

/* A key of one letter. */
static bool is_single(lk_slice key, size_t i)
{
    return (i == 0 || key.p[i - 1] == '.') && (i + 1 == key.len || key.p[i + 1] == '.');
}

size_t lk_jsonl_plain(lk_slice key, char *out, size_t max)
{
    size_t n = 0;

    for (size_t i = 0; i < key.len; i++) {
        if (i > 0 && n < max && begins_word(key, i, out[n - 1]))
            out[n++] = '_';
        if (n == max)
            return 0;
        out[n++] = is_single(key, i) ? key.p[i] : plain_byte(key.p[i]);
    }
    return n;
}

/* Of the index of a first element at path[i]: ".0" before a point or the end, or "[0]"; else 0. */
static size_t first_len(const char *path, size_t len, size_t i)
{
    if (len - i >= 3 && memcmp(path + i, "[0]", 3) == 0)
        return 3;
    return i > 0 && len - i >= 2 && memcmp(path + i, ".0", 2) == 0 &&
                   (i + 2 == len || path[i + 2] == '.' || path[i + 2] == '[')
               ? 2
               : 0;
}

size_t lk_jsonl_drop_firsts(char *path, size_t len)
{
    size_t out = 0;

    for (size_t i = 0; i < len;) {
        size_t skip = first_len(path, len, i);

        if (skip == 0)
            path[out++] = path[i++];
        i += skip;
    }
    return out;
}

/* ---- rows ---- */

/* Bit n of a letter: a key of n bytes begins with it.  Most names that a stranger writes are no key, and need not be
 * looked for.  A key that is added adds its bit; the test that looks each key up tells.  */
/* clang-format off */
static const uint64_t LENGTHS['z' - 'a' + 1] = {
    ['a' - 'a'] = 0x100220c6b8, ['c' - 'a'] = 0x22c4b70, ['d' - 'a'] = 0x2430d00,
    ['e' - 'a'] = 0x1c4ec0, ['g' - 'a'] = 0x4040000, ['h' - 'a'] = 0x8bdd8810,
    ['i' - 'a'] = 0xca01c, ['j' - 'a'] = 0x8000048, ['l' - 'a'] = 0x2480,
    ['m' - 'a'] = 0x452, ['o' - 'a'] = 0x40000, ['p' - 'a'] = 0x2042b708010,
    ['q' - 'a'] = 0x1000, ['r' - 'a'] = 0x54ffece, ['s' - 'a'] = 0x224ec6, ['t' - 'a'] = 0x1f96,
    ['u' - 'a'] = 0x4248971c, ['v' - 'a'] = 0x30, ['w' - 'a'] = 0x400, ['x' - 'a'] = 0x7dffb208,
};
/* clang-format on */

static bool may_be_key(const char *path, size_t len)
{
    return len > 0 && len < 64 &&
           (path[0] < 'a' || path[0] > 'z' || (LENGTHS[path[0] - 'a'] >> len & 1) != 0);
}

static uint8_t find_row(const char *path, size_t len)
{
    if (!may_be_key(path, len))
        return LK_JSONL_ROW_OTHER;
    for (size_t i = 0; i < KEY_COUNT; i++)
        if (KEYS[i].len == len && memcmp(KEYS[i].key, path, len) == 0)
            return (uint8_t)(LK_JSON_PATHS_MAX + i);
    return LK_JSONL_ROW_OTHER;
}

static uint8_t find_user_row(const lk_json_paths *paths, const char *path, size_t len)
{
    for (size_t i = 0; i < paths->count; i++)
        if (paths->path[i].len == len && memcmp(paths->path[i].text, path, len) == 0)
            return (uint8_t)i;
    return LK_JSONL_ROW_OTHER;
}

/* What a caller can say with a header: not its address and not the status. */
static uint8_t find_header(const char *name, size_t len)
{
    uint8_t row = find_row(name, len);
    lk_jsonl_field field = row == LK_JSONL_ROW_OTHER ? LK_JSONL_MARK : lk_jsonl_row_field(row);

    return field == LK_JSONL_AGENT || field == LK_JSONL_ATTEMPT || field == LK_JSONL_RETRIES ||
                   field == LK_JSONL_ID
               ? row
               : LK_JSONL_ROW_OTHER;
}

static size_t prefix_len(const char *path, size_t len, const char *prefix)
{
    size_t n;

    if (len == 0 || *path != *prefix)
        return 0;
    n = strlen(prefix);
    return len > n && memcmp(path, prefix, n) == 0 ? n : 0;
}

/* Where writers keep request headers: Traefik, Caddy, pino, applications, ECS. */
static const char *const HEADERS[] = { "request_headers.", "request_", "request.headers.", "headers.",
                                       "req.headers.", "http.request.headers." };

static uint8_t find_prefixed(const char *path, size_t len)
{
    size_t n;

    if ((n = prefix_len(path, len, "http_")) > 0 && !memchr(path, '.', len))
        return find_row(path + n, len - n);
    for (size_t i = 0; i < sizeof(HEADERS) / sizeof(HEADERS[0]); i++)
        if ((n = prefix_len(path, len, HEADERS[i])) > 0)
            return find_header(path + n, len - n);
    return LK_JSONL_ROW_OTHER;
}

static bool is_lent(const lk_jsonl_meaning *means)
{
    return (means->field <= LK_JSONL_RETRY_AFTER_MS || means->field == LK_JSONL_ID) &&
           means->unit != LK_JSONL_US && means->unit != LK_JSONL_NS;
}

uint8_t lk_jsonl_row(lk_slice key)
{
    static const lk_json_paths NONE = { 0 };
    uint8_t row = lk_jsonl_row_in(&NONE, LK_JSONL_ROOT, key);

    return row != LK_JSONL_ROW_OTHER && is_lent(&row_at(row)->means) ? row : LK_JSONL_ROW_OTHER;
}

uint32_t lk_jsonl_sign(lk_slice plain_path)
{
    uint8_t row = find_row(plain_path.p, plain_path.len);

    return row == LK_JSONL_ROW_OTHER ? 0 : row_at(row)->means.sign;
}

/* ---- nested objects ---- */

/* The number of an object: a row whose path begins with that of the object, from 1, and how much of
 * that path is the object's. */
enum { LEN_BITS = 6 };

_Static_assert(PATH_MAX_LEN < 1 << LEN_BITS, "lengths of paths have six bits");

static lk_slice row_path(const lk_json_paths *paths, uint8_t row)
{
    if (row < LK_JSON_PATHS_MAX)
        return (lk_slice){ paths->path[row].text, paths->path[row].len };
    return (lk_slice){ row_at(row)->key, row_at(row)->len };
}

/* The path of a member into `out`; 0 when it is longer than any. */
static size_t member_path(const lk_json_paths *paths, uint16_t object, lk_slice key,
                          char out[LK_JSON_PATH_MAX])
{
    size_t len = 0, n;

    if (object != LK_JSONL_ROOT) {
        len = object & ((1U << LEN_BITS) - 1);
        memcpy(out, row_path(paths, (uint8_t)((object >> LEN_BITS) - 1)).p, len);
        out[len++] = '.';
    }
    n = lk_jsonl_plain(key, out + len, PATH_MAX_LEN - len);
    return n > 0 ? lk_jsonl_drop_firsts(out, len + n) : 0;
}

uint8_t lk_jsonl_row_in(const lk_json_paths *paths, uint16_t object, lk_slice key)
{
    char path[LK_JSON_PATH_MAX] = { 0 };
    size_t len = member_path(paths, object, key, path);
    uint8_t row = find_user_row(paths, path, len);

    if (row == LK_JSONL_ROW_OTHER)
        row = find_row(path, len);
    return row == LK_JSONL_ROW_OTHER ? find_prefixed(path, len) : row;
}

static bool is_within(lk_slice path, const char *object, size_t len)
{
    return path.len > len && path.p[len] == '.' && memcmp(path.p, object, len) == 0;
}

uint16_t lk_jsonl_object_in(const lk_json_paths *paths, uint16_t object, lk_slice key)
{
    char path[LK_JSON_PATH_MAX] = { 0 };
    size_t len = member_path(paths, object, key, path);

    for (size_t row = 0; len > 0 && row < ROW_COUNT; row++)
        if (is_within(row_path(paths, (uint8_t)row), path, len))
            return (uint16_t)((row + 1) << LEN_BITS | len);
    return 0;
}
