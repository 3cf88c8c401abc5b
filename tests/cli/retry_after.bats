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
    [[ "$(obeys got)" == "retry-after-exact 4 1.00"* ]]
    [[ "$(obeys node)" == "retry-after-exact 4 1.00"* ]]
    # calls that follow one another at once, all of them failed, are no job that requeues
    [ "$("$PYTHON" -c 'import json,sys; r = json.load(open(sys.argv[1])); print(sum(x["name"] == "job" for x in r["layers"]) + sum(x["layer"] == "job" for x in r["policies"]))' "$OUT")" = 0 ]
}

# The same answers at whole seconds, without ids: each agent's own next calls are among its comebacks.
@test "which SDKs wait the five seconds, by an access log of whole seconds" {
    log="$BATS_TEST_TMPDIR/whole.log"
    gzip -dc "$SDKS" | "$PYTHON" -c '
import datetime, json, sys
for line in sys.stdin:
    r = json.loads(line)
    at = datetime.datetime.fromtimestamp(int(r["msec"]), datetime.timezone.utc).strftime("%d/%b/%Y:%H:%M:%S +0000")
    print("%s - - [%s] \"%s %s HTTP/1.1\" %s 0 \"-\" \"%s\" rt=%.3f ra=\"%s\"" % (r["addr"], at, r["m"], r["uri"], r["st"], r["ua"], r["rt"], r["ra"] or "-"))' >"$log"
    lockstep analyze -f json "$log"
    ended_with 0
    for agent in OpenAI Anthropic aws-sdk-js axios core-rest got node; do
        [[ "$(obeys $agent)" == retry-after-exact* ]] || { echo "$agent: $(obeys $agent)"; return 1; }
    done
    [[ "$(obeys Stripe)" == "None "*" 0.00 1.00 0.00" ]]
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

# never_sent LAYOUT [JITTER] — one policy of an outage, and what the report makes of a Retry-After that is always empty
never_sent() {
    log="$BATS_TEST_TMPDIR/never.$1"
    lockstep simulate outage --policy "percent-jitter:base=5,factor=1,jitter=${2:-0.2}" --callers 400 --log-format "$1" --emit-log "$log"
    ended_with 0
    lockstep analyze -f json "$log"
    ended_with 0
    "$PYTHON" -c '
import json, sys
d = json.load(open(sys.argv[1]))
p = d["policies"][0]
print(p["policy"], *("%.3g" % p[k] if p[k] else None for k in ("base_s", "jitter")), len(d["retry_after"]["findings"]))' "$OUT"
}

# Half a constant window and jitter may be a hint and jitter on it, unless the log would show the hint.
@test "a Retry-After that is logged and was never sent is no hidden hint" {
    [ "$(never_sent json)" = "percent-jitter 5 0.2 1" ]
    [ "$(never_sent nginx-ext)" = "percent-jitter 5 0.2 1" ]
    [[ "$(never_sent combined)" = "percent-jitter 5"*" 0" ]] # a fifth is no half
    [ "$(never_sent combined 0.3333)" = "None None None 0" ]
}

# An empty column in front of the attempts, as $http_x_forwarded_for behind the user agent, may be anything.
@test "an empty column in another place is no Retry-After" {
    log="$BATS_TEST_TMPDIR/ext.log"
    lockstep simulate outage --policy percent-jitter:base=5,factor=1,jitter=0.3333 --callers 400 --log-format nginx-ext --emit-log "$log"
    sed 's/ "-"$//; s/"batch-client\/1.4" /&"-" /' "$log" >"$log.moved"
    lockstep analyze -f json "$log.moved"
    ended_with 0
    [ "$(value retry_after.findings)" = "[]" ]
    [ "$(value policies.0.policy)" = null ]
}
