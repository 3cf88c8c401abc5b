load helper

SDKS=testdata/incidents/sdk-retries-5s.json.log.gz

# obeys POPULATION — how the one whose name begins so treats Retry-After: exact, early, later
obeys() {
    "$PYTHON" -c '
import json, sys
for p in json.load(open(sys.argv[1]))["policies"]:
    if (p["population"] or "").startswith(sys.argv[2]):
        r = p["retry_after"]
        print(p["policy"], r["told"], "%.2f %.2f %.2f" % (r["exact"], r["early"], r["spread"]))' "$OUT" "$1"
}

# Real SDKs: 84 answers say 5 s.  Stripe's comes after half a second; axios-retry's exponentialDelay adds to it.
@test "which SDKs wait the five seconds that they are told" {
    lockstep analyze -f json "$SDKS"
    ended_with 0
    [ "$(value retry_after.with_header)" = 84 ]
    [ "$(value retry_after.values.0.value_s)" = 5 ]
    [ "$(obeys Anthropic)" = "retry-after-exact 4 1.00 0.00 0.00" ]
    [ "$(obeys aws-sdk-js)" = "retry-after-exact 8 1.00 0.00 0.00" ]
    [ "$(obeys core-rest)" = "retry-after-exact 7 1.00 0.00 0.00" ]
    [ "$(obeys Stripe)" = "None 6 0.00 1.00 0.00" ]
    [[ "$(obeys OpenAI)" == retry-after-exact* ]]
    [[ "$(obeys axios)" == retry-after-exact* ]]
}

# line SECOND STATUS VALUE
line() {
    printf '192.0.2.7 - - [15/Jul/2025:12:00:%02d +0000] "GET /a HTTP/1.1" %s 5 "-" "cli/1" ra="%s"\n' "$1" "$2" "$3"
}

@test "every form of Retry-After is told apart" {
    log="$BATS_TEST_TMPDIR/forms.log"
    {
        line 1 429 12
        line 2 429 0
        line 3 429 2.5
        line 4 429 -5
        line 5 429 soon
        line 6 429 "Tue, 15 Jul 2025 12:00:36 GMT"
        line 7 429 "Tuesday, 15-Jul-25 12:00:37 GMT"
        line 8 429 "Tue Jul 15 12:00:38 2025"
        line 9 429 "Tue, 15 Jul 2025 11:00:00 GMT"
        line 10 429 -
        line 11 200 -
    } >"$log"
    lockstep analyze -f json "$log"
    ended_with 0
    [ "$(value retry_after.rejections)" = 10 ]
    [ "$(value retry_after.with_header)" = 9 ]
    [ "$(value retry_after.forms)" = '{"seconds": 2, "fraction": 1, "milliseconds": 0, "date": 3}' ]
    [ "$(value retry_after.malformed)" = 2 ]
    [ "$(value retry_after.negative)" = 1 ]
    [ "$(value retry_after.past)" = 1 ]
    [ "$(value retry_after.zero)" = 1 ]
    [ "$(value retry_after.values.0)" = '{"value_s": 30, "count": 3}' ]
    lockstep analyze "$log"
    says "In these forms"
    harmless 80
}
