/* made_log — seeded logs of the kinds that the benchmarks read: combined, combined with durations and ids,
 * and JSON lines; gzip -6, the same bytes on every machine.  */
#ifndef LK_TESTS_MADE_LOG_H
#define LK_TESTS_MADE_LOG_H

#include "base/random.h"

#include <zlib.h>

#include <stdio.h>
#include <stdlib.h>

enum { CLIENTS = 200000, TARGETS = 1500, RATE = 70 };

static const char *const AGENTS[] = {
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
    "Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15",
    "okhttp/4.12.0", "python-requests/2.31.0", "curl/7.88.1", "Go-http-client/1.1",
    "aws-sdk-go-v2/1.30.3 os/linux lang/go#1.22.5 md/GOOS#linux md/GOARCH#amd64",
};

struct request {
    unsigned long at_ms, took_ms;
    unsigned client, target, page, status, bytes, attempt;
    const char *agent;
    uint64_t id;
};

/* Callers and targets with a long tail; one in 1,024 fails; every line has an id of its own. */
static struct request draw(lk_random *r, unsigned long i, unsigned rate)
{
    uint64_t u = lk_random_u64(r), v = lk_random_u64(r);
    unsigned narrow = (unsigned)(u >> 58 & 7);
    struct request q = { .at_ms = i * 1000 / rate, .took_ms = (unsigned)(v & 255) + 3 };

    q.client = (unsigned)(u % CLIENTS) >> (2 * narrow);
    q.target = (unsigned)(u >> 20) % TARGETS >> narrow;
    q.page = (unsigned)(v >> 8 & 63);
    q.status = v >> 16 & 1023 ? 200 : 503;
    q.bytes = (unsigned)(v >> 26 & 0xffff);
    q.attempt = q.status == 503 ? 1 + (unsigned)(v >> 42 & 1) : 1;
    q.agent = AGENTS[q.client % (sizeof(AGENTS) / sizeof(AGENTS[0]))];
    q.id = lk_random_u64(r);
    return q;
}

static int put_combined(const struct request *q, char *to, size_t max)
{
    unsigned long s = q->at_ms / 1000;

    return snprintf(to, max,
                    "10.%u.%u.%u - - [%02lu/Jul/2025:%02lu:%02lu:%02lu +0000] \"GET /v1/items/%u/parts?page=%u "
                    "HTTP/1.1\" %u %u \"https://shop.example.com/items/%u\" \"%s\"",
                    q->client >> 16, q->client >> 8 & 255, q->client & 255, 1 + s / 86400 % 31,
                    s / 3600 % 24, s / 60 % 60, s % 60, q->target, q->page, q->status, q->bytes,
                    q->target, q->agent);
}

static int put_ext(const struct request *q, char *to, size_t max)
{
    int n = put_combined(q, to, max);

    return n + snprintf(to + n, max - (size_t)n, " %lu.%03lu \"%016llx\" \"attempt=%u; max=3\"",
                        q->took_ms / 1000, q->took_ms % 1000, (unsigned long long)q->id, q->attempt);
}

static int put_json(const struct request *q, char *to, size_t max)
{
    unsigned long s = q->at_ms / 1000;

    return snprintf(to, max,
                    "{\"time\":\"2025-07-%02luT%02lu:%02lu:%02lu.%03lu+00:00\",\"remote_addr\":\"10.%u.%u.%u\","
                    "\"method\":\"GET\",\"uri\":\"/v1/items/%u/parts\",\"protocol\":\"HTTP/1.1\",\"status\":%u,"
                    "\"bytes_sent\":%u,\"request_time\":%lu.%03lu,\"referer\":\"-\",\"user_agent\":\"%s\","
                    "\"request_id\":\"%016llx\"}",
                    1 + s / 86400 % 31, s / 3600 % 24, s / 60 % 60, s % 60, q->at_ms % 1000,
                    q->client >> 16, q->client >> 8 & 255, q->client & 255, q->target, q->status,
                    q->bytes, q->took_ms / 1000, q->took_ms % 1000, q->agent,
                    (unsigned long long)q->id);
}

static const struct set {
    const char *name;
    int (*put)(const struct request *q, char *to, size_t max);
} SETS[] = { { "combined", put_combined }, { "ext", put_ext }, { "json", put_json } };
enum { SET_COUNT = sizeof(SETS) / sizeof(SETS[0]) };

/* rate: lines a second. */
static void write_log(const struct set *set, unsigned long lines, unsigned rate, const char *path)
{
    gzFile out = gzopen(path, "wb6");
    char text[1024];
    lk_random r;

    lk_random_init(&r, 1);
    for (unsigned long i = 0; out && i < lines; i++) {
        struct request q = draw(&r, i, rate);
        int len = set->put(&q, text, sizeof(text) - 1);

        text[len++] = '\n';
        if (gzwrite(out, text, (unsigned)len) != len)
            exit(1);
    }
    if (!out || gzclose(out) != Z_OK)
        exit(1);
}

#endif
