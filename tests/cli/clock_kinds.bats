# What is like a retry storm and is none, and the other way round, in logs as they are written.

load helper

# clf: lines "SECOND ADDRESS METHOD TARGET STATUS AGENT" of an hour, sorted, as combined.
clf() {
    sort -s -n -k1,1 | awk '{
        printf "10.%d.%d.%d - - [26/Nov/2026:%02d:%02d:%02d +0000] \"%s %s HTTP/1.1\" %s 12 \"-\" \"%s\"\n",
            $2 / 65536, $2 / 256 % 256, $2 % 256, 10 + $1 / 3600, $1 / 60 % 60, $1 % 60, $3, $4, $5, $6 }'
}

# traffic RATE: even answers by many.
traffic() {
    awk -v rate="$1" 'BEGIN { srand(7); for (i = 0; i < 3600 * rate; i++)
        print int(3600 * rand()), int(5000 * rand()), "GET", "/p/" i % 9, 200, "browser/1" }'
}

clocks() {
    lockstep analyze -q -f json "$BATS_TEST_TMPDIR/log"
    ended_with 0
}

@test "whole seconds are no clock of one second, and hide none of several" {
    for period in 5 7 10; do
        { traffic 20; awk -v p=$period 'BEGIN { srand(3); for (t = 3; t < 3600; t += p)
            for (i = 0; i < 3 * p; i++) print t, 10000 + int(50000 * rand()), "GET", "/x", 200, "app/1" }'; } |
            clf >"$BATS_TEST_TMPDIR/log"
        clocks
        jq -e '.clocks | all(.period_s > 2)' "$OUT"
        # 15 arrivals every 5 s among 100: few of them stand out one by one
        jq -e --argjson p $period '.clocks[0].period_s / $p - 1 | fabs < 0.01' "$OUT"
    done
}

# 5 s of exporters that were refused for ten minutes in the middle.
@test "exporters are callers like others: a path of metrics makes no schedule of their retries" {
    { traffic 5; awk 'BEGIN { for (c = 0; c < 60; c++) for (t = 900; t < 1500; t += 5)
        print t, 20000 + c, "POST", "/v1/metrics", 503, "OTLP-exporter/1" }'; } | clf >"$BATS_TEST_TMPDIR/log"
    clocks
    jq -e '.verdict.synchronised and .clocks[0].kind == "retry" and (.clocks[0].period_s / 5 - 1 | fabs < 0.02)' "$OUT"
}

@test "who does as a Retry-After says retries, refused from the log's first turn to its last, too" {
    awk 'BEGIN { for (t = 0; t < 1200; t += 5.01) for (c = 0; c < 100; c++)
        printf "{\"time\":\"2026-11-26T10:%02d:%06.3fZ\",\"remote_addr\":\"10.1.0.%d\",\"method\":\"GET\",\"uri\":\"/a\",\"status\":429,\"request_time\":0.010,\"retry_after\":\"5\",\"user_agent\":\"app/1\"}\n",
            t / 60, t % 60, c }' >"$BATS_TEST_TMPDIR/log"
    clocks
    jq -e '.verdict.synchronised and .clocks[0].kind == "retry"' "$OUT"
}

@test "probes that are refused throughout, each at a time of its own, are a clock with an owner" {
    { traffic 3; awk 'BEGIN { for (c = 0; c < 12; c++) for (t = c * 7 % 10; t < 3600; t += 10)
        print t, 20000 + c, "GET", "/healthz", 503, "kube-probe/1.29" }'; } | clf >"$BATS_TEST_TMPDIR/log"
    clocks
    jq -e '.verdict.synchronised == false and (.clocks | length) == 1 and .clocks[0].kind != "retry"
        and .clocks[0].owner == "12 probes, user agent kube-probe/1.29, every 10 s"' "$OUT"
}
