#!/usr/bin/env bats
# Memory stays under its bound whatever the input; the report says what the bound made coarser.
# What hostile inputs there are: tests/bench/bench_hostile.c.

load helper

HOSTILE=${HOSTILE:-build/release/tests/bench/bench_hostile}
BOUND=32 # MiB

# stays KIND LINES [STATUS] — its peak is below the bound; sanitizers need memory of their own
stays() {
    local peak status=0
    peak=$(BENCH_OPTIONS="--memory ${BOUND}M -o $OUT" "$HOSTILE" --peak "$1" "$2") || status=$?
    [ "$status" -eq "${3:-0}" ] || {
        echo "$1: status $status"
        return 1
    }
    case $LOCKSTEP in */asan/* | */tsan/* | */coverage/*) return 0 ;; esac
    [ "$peak" -lt $((BOUND * 1024)) ] || {
        echo "$1: peak of $peak KiB"
        return 1
    }
}

@test "every line from another caller: the callers are forgotten, longest silent first, and told" {
    stays callers 40000
    says "callers were forgotten, the longest silent first"
    stays callers 120000
    grep -Eq 'about 1[12][0-9],[0-9]{3} callers, give or take 0.8 %' "$OUT"
}

@test "every call open: the oldest are decided early, and told" {
    stays failures 40000
    says "open calls were dropped to keep memory bounded"
    stays ids 40000
    says "open calls were dropped to keep memory bounded"
}

@test "every line another target, or another user agent: their number is estimated" {
    stays targets 40000
    grep -Eq 'about (39|40),[0-9]{3} targets, give or take 0.8 %' "$OUT"
    says 'requests have one of the targets that came when there was no room'
    stays agents 40000
    grep -Eq 'about (39|40),[0-9]{3} user agents, give or take 0.8 %' "$OUT"
    says 'requests have one of the user agents that came when there was no room'
}

@test "thirty years at a millisecond, and any year from 0 to 9999: bins become wider, and it is told" {
    stays decades 40000
    says "The log is so long that arrivals were counted in bins of 128 s"
    stays years 20000
    says "came later than the reorder window"
}

@test "a night, and a day" {
    stays day 29000
    stays day 40000
    stays day 80000
}

@test "each line before the last, and waves without end" {
    stays waves 40000
    says "What whatif simulates is known in bins of"
    stays backwards 40000
    says "39,877 lines came later than the reorder window: they count"
}

@test "one endless line, and one byte packed a thousand to one: one line that is no request" {
    stays endless 500 3 # lines of 64 KiB each
    says "line-too-long 1"
    stays bomb 500 3
    says "line-too-long 1"
}

@test "what unpacks a file must fit as well, or says what it needs" {
    command -v xz >/dev/null && "$LOCKSTEP" --version | grep -q liblzma || skip "no xz"
    gzip -dc testdata/quiet/cron-60s.log.gz | head -n 1000 >"$BATS_TEST_TMPDIR/log"
    xz -9 -c "$BATS_TEST_TMPDIR/log" >"$BATS_TEST_TMPDIR/log.xz"
    lockstep analyze "$BATS_TEST_TMPDIR/log.xz"
    ended_with 0
    lockstep analyze --memory 32M "$BATS_TEST_TMPDIR/log.xz"
    ended_with 3
    grep -Eq 'log.xz.* the xz stream that starts at byte 0 needs 6[5-9] MiB to be unpacked: more --memory, or xzcat FILE' "$ERR"
}

@test "heavy hitters among very many stay exact" {
    awk 'BEGIN {
        for (i = 0; i < 60000; i++) {
            ip = i % 50 == 7 ? "192.0.2.1" : i % 70 == 9 ? "192.0.2.2" : sprintf("10.%d.%d.%d", i / 65536, i / 256 % 256, i % 256)
            printf "%s - - [15/Jul/2025:%02d:%02d:%02d +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"a\"\n", ip, i / 36000, i / 600 % 60, i / 10 % 60
        }
    }' >"$BATS_TEST_TMPDIR/log"
    for options in "" "--memory 32M"; do
        # shellcheck disable=SC2086
        lockstep analyze -q -f json --by caller $options "$BATS_TEST_TMPDIR/log"
        ended_with 0
        for ip in 192.0.2.1 192.0.2.2; do
            [ "$(jq --arg ip $ip '.by.values[] | select(.value == $ip) | .http.attempts' "$OUT")" = \
                "$(grep -c "^$ip " "$BATS_TEST_TMPDIR/log")" ]
        done
    done
}

@test "more memory, finer answer: the same log within and beyond the bound" {
    "$HOSTILE" --lines targets 3000 >"$BATS_TEST_TMPDIR/log"
    lockstep analyze -q -f json --memory 32M "$BATS_TEST_TMPDIR/log"
    [ "$(jq '.input.limits.folded_targets > 0 and .input.distinct.targets_error > 0' "$OUT")" = true ]
    [ "$(jq '.input.distinct.targets | . > 2900 and . < 3100' "$OUT")" = true ]
    lockstep analyze -q -f json "$BATS_TEST_TMPDIR/log"
    [ "$(jq -c '.input.distinct | [.targets, .targets_error]' "$OUT")" = '[3000,0]' ]
    [ "$(jq .input.limits.folded_targets "$OUT")" = 0 ]
}

@test "thousands of files: few are listed, all count, and it is told in every format" {
    mkdir "$BATS_TEST_TMPDIR/logs"
    awk -v folder="$BATS_TEST_TMPDIR/logs" 'BEGIN {
        for (i = 0; i < 3000; i++) {
            file = sprintf("%s/%04d.log", folder, (i * 7919) % 3000)
            for (k = 0; k < 2; k++)
                printf "10.0.%d.%d - - [15/Jul/2025:12:%02d:%02d +0000] \"GET / HTTP/1.1\" %d 1 \"-\" \"a\"\n", i / 256, i % 256, i / 100, i % 60, k ? 200 : 503 > file
            close(file)
        }
    }'
    lockstep analyze -q -f json --memory 32M "$BATS_TEST_TMPDIR/logs"
    ended_with 0
    cp "$OUT" "$BATS_TEST_TMPDIR/few.json"
    [ "$(jq -c '[.input.lines.total, .http.attempts, .http.rejected, .input.limits.late_lines]' "$OUT")" = '[6000,6000,3000,0]' ]
    listed=$(jq '.input.files | length' "$OUT")
    [ "$listed" -lt 100 ]
    [ "$(jq .input.limits.unlisted_files "$OUT")" -eq $((3000 - listed)) ]
    lockstep analyze -q -f json "$BATS_TEST_TMPDIR/logs"
    ended_with 0
    [ "$(jq '.input.files | length' "$OUT")" -eq 1024 ]
    [ "$(jq -c '[.input.span, .http, .arrivals]' "$OUT")" = "$(jq -c '[.input.span, .http, .arrivals]' "$BATS_TEST_TMPDIR/few.json")" ]
    for format in text markdown html; do
        lockstep render --format $format "$BATS_TEST_TMPDIR/few.json"
        grep -q "inputs are not listed, for there are so many: what was" "$OUT"
    done
}

@test "every bound that was reached is told in every format" {
    jq '.input.distinct |= (.callers_error = 0.008 | .targets_error = 0.008 | .user_agents_error = 0.008)
        | .input.limits |= map_values(77)' tests/cli/golden/openai-requeue.json >"$BATS_TEST_TMPDIR/r.json"
    for format in text markdown html; do
        lockstep render --ascii --format $format "$BATS_TEST_TMPDIR/r.json"
        ended_with 0
        sed 's/&nbsp;/ /g' "$OUT" | tr '\n' ' ' | tr -s ' ' >"$BATS_TEST_TMPDIR/flat"
        for what in "callers, give or take 0.8 %" "targets, give or take 0.8 %" "user agents, give or take 0.8 %" \
            "77 requests have one of the targets" "77 requests have one of the user agents" \
            "77 lines came later than the reorder window" "77 open calls were dropped" \
            "77 callers were forgotten" "77 inputs are not listed"; do
            grep -qF "$what" "$BATS_TEST_TMPDIR/flat" || {
                echo "$format: $what"
                return 1
            }
        done
    done
}

@test "--verbose says what the memory is used for; too little is refused" {
    lockstep analyze -q -v --memory 64M testdata/quiet/cron-60s.log.gz
    ended_with 0
    for what in "open calls" "callers, by target" "reorder window" targets "user agents" "bins of arrivals" "bytes of a line"; do
        grep -q "  $what: " "$ERR"
    done
    lockstep analyze --memory 31M testdata/quiet/cron-60s.log.gz
    ended_with 2
    complained "--memory: at least 32M are needed"
    lockstep attempts --memory 31M testdata/quiet/cron-60s.log.gz
    ended_with 2
}

@test "map: more inputs than memory has room for are refused, with what would do" {
    mkdir "$BATS_TEST_TMPDIR/many"
    for i in $(seq 200); do
        echo "10.0.0.$i - - [15/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\" 503 1" >"$BATS_TEST_TMPDIR/many/$i.log"
    done
    lockstep map --memory 32M "$BATS_TEST_TMPDIR/many"
    ended_with 2
    complained "--memory: at least 40M are needed, for 200 inputs take 8M until their turn"
    lockstep map --memory 40M "$BATS_TEST_TMPDIR/many"
    ended_with 0
}
