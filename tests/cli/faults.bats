#!/usr/bin/env bats
# What goes wrong around the program: no memory, no right, a full disk; and what it may do itself.

load helper

LOG=testdata/incidents/openai-requeue-20s.ext.log.gz

# shim NAME — $SHIM is what goes before the C library; a sanitizer must come first there itself
shim() {
    SHIM=$(dirname "$LOCKSTEP")/tests/tools/$1.so
    [ -e "$SHIM" ] || skip "not under sanitizers"
}

# probed ARGUMENT... — lockstep ARGUMENT..., and in $ERR what it could still do in the end
probed() {
    LD_PRELOAD="$SHIM" lockstep "$@"
    ended_with 0
}

has_landlock() {
    "$LOCKSTEP" --version | grep -q 'landlock' || skip "this kernel has no Landlock"
}

# ---- memory ----

@test "no memory at any of a sample of allocations: status 3, a word of it, no output, nothing lost" {
    shim failing_alloc
    sh tests/tools/faults.sh 4001 "$SHIM" "$LOCKSTEP" >"$OUT" || {
        cat "$OUT"
        return 1
    }
    says "kinds hold"
}

# ---- rights ----

@test "only what was named can be opened; no program, no socket" {
    shim probing
    has_landlock
    cd "$BATS_TEST_TMPDIR"
    gzip -dc "$BATS_TEST_DIRNAME/../../$LOG" | head -n 200 >a.log
    cp a.log b.log
    echo keep >other
    export PROBE_PATHS=a.log:b.log:/etc/passwd:/proc/self/maps:/usr/share/zoneinfo/UTC PROBE_WRITE=other
    probed analyze --tz Europe/Berlin --jobs 4 a.log
    grep -qx 'open a.log: ok' "$ERR"
    grep -qx 'open b.log: Permission denied' "$ERR"
    grep -qx 'open /etc/passwd: Permission denied' "$ERR"
    grep -qx 'open /proc/self/maps: Permission denied' "$ERR"
    grep -qx 'write other: Permission denied' "$ERR"
    grep -qx 'make other.new: Permission denied' "$ERR"
    grep -q '^link other: \(Permission denied\|Operation not permitted\)$' "$ERR"
    grep -qx 'remove other: Permission denied' "$ERR"
    grep -q '^connect tcp: \(Permission denied\|Operation not permitted\)$' "$ERR"
    grep -q '^execve /bin/true: \(Permission denied\|Operation not permitted\)$' "$ERR"
    [ "$(cat other)" = keep ]
}

@test "sockets and programs are given up by a filter, too" {
    shim probing
    "$LOCKSTEP" --version | grep -q seccomp || skip "no seccomp on this kernel or architecture"
    probed plan --callers 400 --allowance 67
    grep -qx 'ioctl TIOCSTI: Operation not permitted' "$ERR"
    grep -qx 'socket tcp: Operation not permitted' "$ERR"
    grep -qx 'connect tcp: Operation not permitted' "$ERR"
    grep -qx 'execve /bin/true: Operation not permitted' "$ERR"
}

@test "every command that reads or writes gives up its rights, and keeps them with --no-sandbox" {
    shim probing
    has_landlock
    "$LOCKSTEP" analyze --format json "$LOG" >"$BATS_TEST_TMPDIR/r.json"
    "$LOCKSTEP" map "$LOG" >"$BATS_TEST_TMPDIR/records"
    "$LOCKSTEP" reduce -o "$BATS_TEST_TMPDIR/x.state" "$BATS_TEST_TMPDIR/records"
    export PROBE_PATHS=/etc/passwd
    while read -r command; do
        # shellcheck disable=SC2086 # words
        probed $command </dev/null
        grep -qx 'open /etc/passwd: Permission denied' "$ERR" || {
            echo "$command"
            return 1
        }
        # shellcheck disable=SC2086
        probed ${command%% *} --no-sandbox ${command#* } </dev/null
        grep -qx 'open /etc/passwd: ok' "$ERR"
    done <<COMMANDS
analyze $LOG
attempts $LOG
watch -
formats --explain $LOG
render $BATS_TEST_TMPDIR/r.json
diff $BATS_TEST_TMPDIR/r.json $BATS_TEST_TMPDIR/r.json
whatif --attempts 2 --runs 1 $BATS_TEST_TMPDIR/r.json
plan --callers 400 --allowance 67
simulate contention --burst 5 --runs 2
map $LOG
reduce $BATS_TEST_TMPDIR/records
merge $BATS_TEST_TMPDIR/x.state
COMMANDS
}

@test "what was named is reached: links, folders of links, descriptors, outputs, zone files, keys" {
    cd "$BATS_TEST_TMPDIR"
    mkdir real folder
    gzip -dc "$BATS_TEST_DIRNAME/../../$LOG" >real/a.log
    echo 'a key of sixteen bytes' >real/key
    ln -s real/a.log link.log
    ln -s ../real/a.log folder/link.log
    for input in link.log folder /dev/stdin - real/../real/a.log; do
        lockstep analyze --tz America/New_York --rejects rejected -o report "$input" <real/a.log
        ended_with 0
        [ -s report ]
        [ -e rejected ]
        rm report rejected
    done
    lockstep analyze --redact all --redact-key real/key link.log
    ended_with 0
    lockstep analyze <(cat real/a.log)
    ended_with 0
    lockstep analyze no.log
    complained "cannot open 'no.log': No such file or directory"
    ended_with 3
    lockstep simulate outage --callers 20 --down 5 --emit-log x.log.gz --emit-sdk-log real/x.jsonl
    ended_with 0
    gzip -t x.log.gz
    [ -s real/x.jsonl ]
}

# ---- outputs ----

@test "a full disk is told by every command and every output: status 4" {
    while read -r command; do
        status=0
        # shellcheck disable=SC2086 # words
        "$LOCKSTEP" $command >/dev/full 2>"$ERR" </dev/null || status=$?
        ended_with 4
        complained "No space left on device"
        case $command in
        analyze* | render* | diff* | simulate*)
            # shellcheck disable=SC2086
            lockstep $command -o /dev/full </dev/null
            ended_with 4
            complained "cannot write '/dev/full': No space left on device"
            ;;
        esac
    done <<COMMANDS
analyze $LOG
analyze -f json $LOG
attempts $LOG
formats
formats --explain $LOG
render tests/cli/golden/openai-requeue.json
diff tests/cli/golden/openai-requeue.json tests/cli/golden/control-quiet.json
whatif --attempts 2 --runs 1 tests/cli/golden/openai-requeue.json
plan --callers 400 --allowance 67
simulate contention --burst 5 --runs 2
schema
completion bash
help
help clocks
--version
COMMANDS
    lockstep analyze --rejects /dev/full testdata/format/ext-ingress.log README.md
    ended_with 4
    for output in --emit-log --emit-sdk-log; do
        lockstep simulate outage --callers 20 --down 5 "$output" /dev/full
        ended_with 4
        complained "cannot write '/dev/full': No space left on device"
    done
}

@test "a file is replaced when the new one is whole: mode, links, folders, pipes" {
    cd "$BATS_TEST_TMPDIR"
    log=$BATS_TEST_DIRNAME/../../$LOG
    mkdir folder
    echo old >folder/real
    chmod 640 folder/real
    ln -s folder/real link
    ln -s folder/new dangling
    lockstep analyze -o link "$log"
    ended_with 0
    [ -L link ]
    [ "$(stat -c %a folder/real)" = 640 ]
    grep -q retries folder/real
    lockstep analyze -o dangling "$log"
    [ -L dangling ]
    grep -q retries folder/new
    lockstep analyze -o folder "$log"
    ended_with 4
    complained "cannot write 'folder': Is a directory"
    lockstep analyze -o none/such "$log"
    ended_with 4
    complained "cannot write 'none/such': No such file or directory"
    mkfifo pipe
    cat pipe >piped &
    lockstep analyze -o pipe "$log"
    wait
    cmp piped folder/new
    "$LOCKSTEP" analyze -o /dev/stdout "$log" | cmp - folder/new
    [ "$(ls folder)" = "new
real" ]
}

@test "what stops a simulated log half-way leaves the old one" {
    cd "$BATS_TEST_TMPDIR"
    echo old >x.log
    (
        ulimit -f 64
        trap '' XFSZ
        lockstep simulate outage --emit-log x.log
        ended_with 4
        complained "cannot write 'x.log': File too large"
    )
    [ "$(cat x.log)" = old ]
    [ "$(ls)" = "err
out
x.log" ]
}

@test "files without permission, too many of them, directories, names that are too long" {
    cd "$BATS_TEST_TMPDIR"
    gzip -dc "$BATS_TEST_DIRNAME/../../$LOG" >a.log
    for i in $(seq 40); do head -n 100 a.log >"$i.log"; done
    (
        ulimit -n 16
        lockstep analyze -f json ./*.log
        ended_with 0
    )
    long=$(printf 'x%.0s' $(seq 300))
    lockstep analyze "$long"
    ended_with 3
    grep -q 'File name too long' "$ERR"
    lockstep analyze -o "$long" a.log
    ended_with 4
    complained "File name too long"
    [ "$(id -u)" -ne 0 ] || skip "root may read everything"
    chmod 000 a.log
    lockstep analyze a.log
    ended_with 3
    complained "cannot open 'a.log': Permission denied"
    mkdir closed
    chmod 555 closed
    lockstep analyze -o closed/report 1.log
    ended_with 4
    complained "cannot write 'closed/report': Permission denied"
}

@test "what the shell opened is gone on with, not replaced" {
    cd "$BATS_TEST_TMPDIR"
    log=$BATS_TEST_DIRNAME/../../$LOG
    { gzip -cdf "$log" && echo 'no line'; } >r.log
    "$LOCKSTEP" analyze r.log >want 2>/dev/null
    ln -s /dev/stdout link
    for name in /dev/stdout /dev/fd/1 /proc/self/fd/1 link k; do
        echo keep >k
        "$LOCKSTEP" analyze -o "$name" r.log >>k 2>"$ERR"
        cmp k <(echo keep
        cat want)
        (
            echo header
            "$LOCKSTEP" analyze -o "$name" r.log 2>"$ERR"
            echo footer
        ) >k
        cmp k <(echo header
        cat want
        echo footer)
        "$LOCKSTEP" analyze --rejects "$name" r.log >k 2>"$ERR"
        cmp k <(echo 'no line'
        cat want)
    done
    echo keep >k
    "$LOCKSTEP" analyze -o /dev/stderr r.log 2>>k
    [ "$(head -n 1 k)" = keep ]
    cmp <(tail -n "$(wc -l <want)" k) want
    echo keep >k
    "$LOCKSTEP" analyze -o /dev/fd/7 r.log 7>>k 2>"$ERR"
    cmp k <(echo keep
    cat want)
    lockstep analyze -o /dev/fd/77 r.log
    ended_with 4
    grep -qF "cannot write '/dev/fd/77': Bad file descriptor" "$ERR"
    "$LOCKSTEP" analyze - <r.log >want 2>"$ERR"
    "$LOCKSTEP" analyze -o r.log - <r.log 2>"$ERR"
    cmp r.log want
}

@test "an output with the longest of names, without any rights, in a folder where nothing may be made" {
    mkdir "$BATS_TEST_TMPDIR/logs"
    log=$PWD/$LOG
    cd "$BATS_TEST_TMPDIR/logs"
    long=$(printf 'x%.0s' $(seq 255))
    lockstep analyze -o "$long" "$log"
    ended_with 0
    cp "$long" "$BATS_TEST_TMPDIR/want"
    lockstep analyze -o "$PWD/$long" "$log"
    ended_with 0
    [ "$(ls)" = "$long" ]
    cmp "$long" "$BATS_TEST_TMPDIR/want"
    cat "$BATS_TEST_TMPDIR/want" "$log" >x
    chmod 555 .
    (
        if [ "$(id -u)" -eq 0 ]; then
            without="setpriv --bounding-set=-dac_override,-dac_read_search"
            $without true || skip "root may write everywhere"
        fi
        # shellcheck disable=SC2086
        ${without:-} "$LOCKSTEP" analyze -o x "$log"
        cmp x "$BATS_TEST_TMPDIR/want"
        # shellcheck disable=SC2086
        never ${without:-} "$LOCKSTEP" analyze -o y "$log"
    )
    chmod 755 .
    chmod 000 x
    lockstep analyze -o x "$log"
    [ "$(stat -c %a x)" = 0 ]
    [ "$(ls)" = "x
$long" ]
}

# ---- reads and writes ----

# with VARIABLE=N ARGUMENT... — lockstep under failing_io
with() {
    local how=$1
    shift
    status=0
    env "$how" LD_PRELOAD="$SHIM" "$LOCKSTEP" "$@" >"$OUT" 2>"$ERR" || status=$?
}

@test "interrupted and short reads and writes change nothing" {
    shim failing_io
    for command in "analyze $LOG" "analyze -f html $LOG" "attempts $LOG" "analyze testdata/input/same.log.xz" \
        "analyze --jobs 1 testdata/input/same.log.zst testdata/input/same.log.bz2"; do
        # shellcheck disable=SC2086 # words
        "$LOCKSTEP" $command >"$BATS_TEST_TMPDIR/want"
        # shellcheck disable=SC2086
        with SHORT_IO=1 $command
        ended_with 0
        cmp "$OUT" "$BATS_TEST_TMPDIR/want"
    done
    env SHORT_IO=1 LD_PRELOAD="$SHIM" "$LOCKSTEP" attempts - <"$LOG" | cmp - <("$LOCKSTEP" attempts "$LOG")
}

@test "a read that fails: what was read is reported, the file and the reason, status 3" {
    shim failing_io
    gzip -dc "$LOG" >"$BATS_TEST_TMPDIR/log"
    for n in 1 2 3 4 5 6 7 8; do
        for file in "$BATS_TEST_TMPDIR/log" "$LOG"; do
            with FAIL_READ=$n analyze -f json "$file"
            # the first look at a file forgives what the second reads well
            first="${first:-}$status"
            [ "$status" -eq 0 ] && continue
            ended_with 3
            grep -qF "$file" "$ERR"
            grep -q 'Input/output error' "$ERR"
            jq -e '.verdict.exit_status == 3' "$OUT"
        done
    done
    [[ $first == *3* ]]
    # by either of the two that read
    for n in 1 2 3; do
        with FAIL_READ=$n analyze --sdk-log testdata/incidents/seed-small-ids.sdk.jsonl.gz "$LOG"
        [ "$status" -eq 0 ] || ended_with 3
        seen="${seen:-}$status"
    done
    [[ $seen == *3* ]]
}

@test "a disk that fills at any write: status 4, no file of the new name, the old one as it was" {
    shim failing_io
    log=$PWD/$LOG
    mkdir "$BATS_TEST_TMPDIR/here"
    cd "$BATS_TEST_TMPDIR/here"
    while read -r command; do
        for n in 1 2 3; do
            rm -f ./*
            # shellcheck disable=SC2086 # words
            with FAIL_WRITE=$n $command
            [ "$status" -eq 0 ] && [ "$n" -gt 1 ] && continue
            ended_with 4
            complained "No space left on device"
            [ -z "$(ls -A)" ]
            echo old >report
            # shellcheck disable=SC2086
            with FAIL_WRITE=$n $command
            [ "$(ls)" = report ]
            [ "$(cat report)" = old ]
        done
    done <<COMMANDS
analyze -o report $log
analyze -f html -o report $log
simulate contention --burst 5 --runs 2 -o report
simulate outage --callers 200 --emit-log report
COMMANDS
    for n in 1 2; do
        with FAIL_WRITE=$n attempts "$log"
        ended_with 4
        complained "cannot write standard output: No space left on device"
    done
}

@test "an output behind links that lead nowhere yet goes where they lead, out of their folder, too" {
    cd "$BATS_TEST_TMPDIR"
    log=$BATS_TEST_DIRNAME/../../$LOG
    mkdir d1 d2 d3
    ln -s ../d2/second d1/link
    ln -s ../d3/new d2/second
    for option in -o --rejects; do
        lockstep analyze "$option" d1/link "$log"
        ended_with 0
        [ -L d1/link ]
        [ -L d2/second ]
        [ -f d3/new ]
        rm d3/new
    done
    lockstep simulate outage --callers 20 --down 5 --emit-log d1/link
    ended_with 0
    [ -s d3/new ]
    ln -s round d1/round
    lockstep analyze -o d1/round "$log"
    ended_with 4
}

# ends_of SIGNAL COMMAND... — while COMMAND writes beside a name here it gets SIGNAL; prints its
# status.  Its input is a log that goes on for ever.
ends_of() {
    "$PYTHON" -c 'import os, signal, subprocess, sys, time
number = getattr(signal, "SIG" + sys.argv[1])
there = set(os.listdir("."))
child = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                         preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
child.stdin.write(b"10.0.0.1 - - [15/Jul/2025:12:00:05 +0000] \"GET /v1 HTTP/1.1\" 429 12 \"-\" \"b/1\"\nno line\n" * 300)
child.stdin.flush()
until = time.time() + 20
while set(os.listdir(".")) == there and child.poll() is None and time.time() < until:
    time.sleep(0.005)
if set(os.listdir(".")) == there:
    sys.exit("nothing is written beside")
child.send_signal(number)
print(child.wait(20))' "$@"
}

@test "a signal that ends the program leaves nothing of what was being written" {
    cd "$BATS_TEST_TMPDIR"
    mkdir work
    cd work
    echo old >x
    for signal in INT:2 TERM:15 HUP:1 QUIT:3; do
        [ "$(ends_of "${signal%:*}" "$LOCKSTEP" attempts --rejects x -)" = "-${signal#*:}" ]
        [ "$(ls)" = x ]
    done
    [ "$(ends_of HUP "$LOCKSTEP" analyze --rejects x -)" = -1 ]
    [ "$(ends_of INT "$LOCKSTEP" simulate outage --callers 200000 --emit-log y --emit-sdk-log x)" = -2 ]
    [ "$(ls)" = x ]
    [ "$(cat x)" = old ]
    (
        ulimit -f 64
        status=0
        "$LOCKSTEP" simulate outage --emit-log x 2>/dev/null || status=$?
        [ "$status" -gt 128 ]
    )
    [ "$(ls)" = x ]
    [ "$(cat x)" = old ]
}

@test "where nothing is reported the rejected lines of before stay" {
    cd "$BATS_TEST_TMPDIR"
    mkdir work
    cd work
    echo old >x
    [ "$(ends_of TERM "$LOCKSTEP" analyze --progress never --rejects x -)" = 143 ]
    [ "$(ls)" = x ]
    [ "$(cat x)" = old ]
}

@test "-o - is standard output, with and without rights" {
    log=$PWD/$LOG
    cd "$BATS_TEST_TMPDIR"
    "$LOCKSTEP" analyze "$log" >want
    for right in --ascii --no-sandbox; do
        lockstep analyze $right -o - "$log"
        ended_with 0
        [ -s "$OUT" ]
        [ ! -e - ]
    done
    cmp "$OUT" want
}

@test "a folder that the rejected lines are put in is read without them; links to folders stay shut" {
    mkdir "$BATS_TEST_TMPDIR/logs" "$BATS_TEST_TMPDIR/other"
    gzip -dc "$LOG" >"$BATS_TEST_TMPDIR/logs/a.log"
    cp "$BATS_TEST_TMPDIR/logs/a.log" "$BATS_TEST_TMPDIR/other/secret"
    cd "$BATS_TEST_TMPDIR/logs"
    lockstep analyze . --rejects bad.log
    ended_with 0
    silent
    rm bad.log
    ln -s ../other other
    shim probing
    has_landlock
    PROBE_PATHS=../other/secret probed analyze .
    grep -qx 'open ../other/secret: Permission denied' "$ERR"
}

@test "a folder of a watched log that is switched by its link is followed" {
    cd "$BATS_TEST_TMPDIR"
    mkdir -p rel/1 rel/2
    gzip -dc "$BATS_TEST_DIRNAME/../../$LOG" | head -n 200 | tee rel/1/access.log >rel/2/access.log
    ln -s rel/1 current
    "$LOCKSTEP" watch current/access.log >"$OUT" 2>"$ERR" 3>&- &
    watcher=$!
    sleep 0.5
    ln -sfn rel/2 current
    until_true "grep -q 'renamed: read on in both' '$OUT' '$ERR'"
    kill -TERM "$watcher"
    status=0
    wait "$watcher" || status=$?
    ended_with 143
}

# ---- damage ----

# flipped FILE BYTE — FILE with a byte changed, to standard output
flipped() {
    "$PYTHON" -c 'import sys
data = bytearray(open(sys.argv[1], "rb").read())
data[int(sys.argv[2])] ^= 0x10
sys.stdout.buffer.write(data)' "$@"
}

@test "damage that only a checksum shows names its lines; --strict leaves that member out" {
    cd "$BATS_TEST_TMPDIR"
    gzip -dc "$BATS_TEST_DIRNAME/../../$LOG" >all.log
    head -n 300 all.log | gzip -n >one.gz
    tail -n +301 all.log | gzip -n >two.gz
    cat one.gz two.gz >both.gz
    flipped both.gz -8 >bad.gz
    lines=$(wc -l <all.log)
    lockstep analyze -f json bad.gz
    ended_with 3
    complained "bad.gz:$lines: checksum of the gzip member that starts at byte $(stat -c %s one.gz) does not match: its lines are not to be trusted (lines 301 to $lines)"
    [ "$(jq .input.lines.total "$OUT")" -eq "$lines" ]
    lockstep analyze -f json --strict bad.gz
    ended_with 3
    complained "does not match"
    complained "nothing of it is read (strict)"
    [ "$(jq .input.lines.total "$OUT")" -eq 300 ]
    [ "$(lockstep attempts --strict bad.gz; wc -l <"$OUT")" -eq "$(lockstep attempts <(head -n 300 all.log); wc -l <"$OUT")" ]
    # of a sound file, or a pipe, nothing is left out
    "$LOCKSTEP" analyze --strict both.gz >strict
    "$LOCKSTEP" analyze both.gz | cmp - strict
    lockstep analyze -f json --strict - <bad.gz
    ended_with 3
    [ "$(jq .input.lines.total "$OUT")" -eq "$lines" ]
    # one member: nothing is left
    flipped one.gz -8 >single.gz
    lockstep analyze --strict single.gz
    ended_with 3
    grep -q 'does not match' "$ERR"
}

@test "damage of zstd, xz and bzip2 names the file, the place and the lines that it reaches, and --strict leaves that part out" {
    local tool place told library
    cd "$BATS_TEST_TMPDIR"
    gzip -dc "$BATS_TEST_DIRNAME/../../$LOG" >all.log
    for tool in "zstd --check" "xz -C crc32" bzip2; do
        case $tool in zstd*) library=libzstd ;; xz*) library=liblzma ;; *) library=libbz2 ;; esac
        command -v ${tool%% *} >/dev/null && "$LOCKSTEP" --version | grep -q $library || continue
        head -n 300 all.log | $tool -c >one
        tail -n +301 all.log | $tool -c >two
        case $tool in
        # the checksum stands at the end of all: every line was given, and is named
        zstd*) place=-2 lines=$(wc -l <all.log) told="checksum of the zstd frame that starts at byte $(stat -c %s one) does not match: its lines are not to be trusted (lines 301 to $lines)" ;;
        # blocks are given once they have stood their check: of the one that does not, no line is
        xz*) place=-40 lines=300 told="the lines of the stream that starts at byte $(stat -c %s one) are not to be trusted" ;;
        *) place=-40 lines=300 told="bzip2 stream is damaged at byte" ;;
        esac
        cat one two >both
        flipped both $place >"bad.${tool%% *}"
        lockstep analyze -f json "bad.${tool%% *}"
        ended_with 3
        complained "bad.${tool%% *}:$lines: "
        complained "$told"
        [ "$(jq .input.lines.total "$OUT")" -eq "$lines" ]
        lockstep analyze -f json --strict "bad.${tool%% *}"
        ended_with 3
        complained "nothing of it is read (strict)"
        [ "$(jq .input.lines.total "$OUT")" -eq 300 ]
    done
}
