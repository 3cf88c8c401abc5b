# Whole reports, every field of them, of logs whose right answers are known: what no other test looks at does not
# change unnoticed either.  UPDATE=1 records them anew and shows each field that changed.

load helper

@test "the reports, explanations and attempts are those that were recorded" {
    # seventy logs: what sanitizers would see here other tests show them, at less cost
    [ -e "$(dirname "$LOCKSTEP")/tests/tools/failing_alloc.so" ] || skip "not under sanitizers"
    "$PYTHON" tests/cli/reports.py "$LOCKSTEP"
}
