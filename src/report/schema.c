/* The schema is written as JSON, a line each: J3(...) is that line, three levels in.  Pieces stay
 * below the 4,095 bytes that C promises for a string literal; they lie one behind the other in one
 * object and are read as one text.  render_json.c prints the same keys; test_schema compares.  */
#include "report/render.h"

/* clang-format off */
#define J0(...) #__VA_ARGS__ "\n"
#define J1(...) "  " #__VA_ARGS__ "\n"
#define J2(...) "    " #__VA_ARGS__ "\n"
#define J3(...) "      " #__VA_ARGS__ "\n"
#define J4(...) "        " #__VA_ARGS__ "\n"
#define J5(...) "          " #__VA_ARGS__ "\n"

#define HEAD \
    J0({) \
    J1("$schema": "https://json-schema.org/draft/2020-12/schema",) \
    J1("title": "lockstep.report/1",) \
    J1("description": "What lockstep analyze --format json prints, see lockstep-report(5)",) \
    J1("$comment": "Unknown is null; instants RFC 3339 UTC, durations seconds, shares 0 to 1",) \
    J1("type": "object",) \
    J1("additionalProperties": false,) \
    J1("required": [) \
    J2("schema", "generator", "verdict", "incident", "input", "http", "calls", "reconciliation",) \
    J2("wasted", "arrivals", "spectrum", "clocks", "fixed_delays", "layers", "amplification",) \
    J2("policies", "retry_after", "capacity", "outlook", "workload", "advice", "notes", "by") \
    J1(],) \
    J1("properties": {) \
    J2("schema": {"const": "lockstep.report/1"},) \
    J2("generator": {"$ref": "#/$defs/generator"},) \
    J2("verdict": {"$ref": "#/$defs/verdict"},) \
    J2("incident": {"$ref": "#/$defs/incident",) \
    J3("description": "null when none was found."},) \
    J2("input": {"$ref": "#/$defs/input"},) \
    J2("http": {"$ref": "#/$defs/http", "description": "Population: attempts."},) \
    J2("calls": {"$ref": "#/$defs/calls", "description": "Population: calls."},) \
    J2("reconciliation": {"$ref": "#/$defs/reconciliation",) \
    J3("description": "Every rejected attempt is in exactly one of the four."},) \
    J2("wasted": {"$ref": "#/$defs/wasted",) \
    J3("description": "Attempts that could not help anybody."},) \
    J2("arrivals": {"$ref": "#/$defs/arrivals", "description": "Attempts by time."},) \
    J2("spectrum": {"$ref": "#/$defs/spectrum",) \
    J3("description": "Whitened power of the arrivals, thinned for plotting."},) \
    J2("clocks": {"type": "array", "items": {"$ref": "#/$defs/clock"}},) \
    J2("fixed_delays": {"type": "array",) \
    J3("description": "Every constant seen in comebacks.",) \
    J3("items": {"$ref": "#/$defs/fixed_delay"}},) \
    J2("layers": {"type": "array",) \
    J3("description": "By population, lowest layer first.", "items": {"$ref": "#/$defs/layer"}},) \
    J2("amplification": {"type": "array",) \
    J3("description": "Worst first.", "items": {"$ref": "#/$defs/amplified"}},) \
    J2("policies": {"type": "array",) \
    J3("description": "How each population comes back, most comebacks first.",) \
    J3("items": {"$ref": "#/$defs/policy"}},) \
    J2("retry_after": {"$ref": "#/$defs/retry_after"},) \
    J2("capacity": {"$ref": "#/$defs/capacity"},) \
    J2("outlook": {"$ref": "#/$defs/outlook"},) \
    J2("workload": {"$ref": "#/$defs/workload",) \
    J3("description": "From which lockstep whatif simulates the incident anew; null when calls are not known."},) \
    J2("advice": {"type": "array",) \
    J3("description": "What to change, first things first; empty when nothing asks for it.",) \
    J3("items": {"$ref": "#/$defs/advised"}},) \
    J2("notes": {"type": "array", "items": {"type": "string"},) \
    J3("description": "What could not be known, one sentence each."},) \
    J2("by": {"$ref": "#/$defs/by",) \
    J3("description": "For each value of --by; null when it was not given."}) \
    J1(},) \
    J1("$defs": {) \
    J2("count": {"type": ["integer", "null"], "minimum": 0},) \
    J2("seconds": {"type": ["number", "null"]},) \
    J2("real": {"type": ["number", "null"]},) \
    J2("share": {"type": ["number", "null"], "minimum": 0, "maximum": 1},) \
    J2("text": {"type": ["string", "null"]},) \
    J2("instant": {"type": ["string", "null"],) \
    J3("pattern": "^-?[0-9]{4,}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$"},)

#define DEF_GENERATOR \
    J2("generator": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": ["name", "version"],) \
    J3("properties": {) \
    J4("name": {"const": "lockstep"},) \
    J4("version": {"type": "string"}) \
    J3(}) \
    J2(},)

#define DEF_VERDICT \
    J2("verdict": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": ["synchronised", "overload", "headline", "exit_status"],) \
    J3("properties": {) \
    J4("synchronised": {"type": ["boolean", "null"],) \
    J5("description": "Callers return together on delays that a retry path made equal."},) \
    J4("overload": {"type": ["boolean", "null"],) \
    J5("description": "Sustained demand above the allowance; null when that is not known."},) \
    J4("headline": {"$ref": "#/$defs/text",) \
    J5("description": "The finding in one sentence."},) \
    J4("exit_status": {"enum": [0, 1, 3, 130],) \
    J5("description": "The program's exit status: 0 or 3; 1 and 130 are reserved."}) \
    J3(}) \
    J2(},)

#define DEF_INCIDENT \
    J2("incident": {) \
    J3("type": ["object", "null"], "additionalProperties": false,) \
    J3("required": [) \
    J4("start", "demand_back_to_baseline", "recovered", "tail_s",) \
    J4("tail_retry_share", "given", "whole", "others", "http", "calls") \
    J3(],) \
    J3("properties": {) \
    J4("start": {"$ref": "#/$defs/instant"},) \
    J4("demand_back_to_baseline": {"$ref": "#/$defs/instant"},) \
    J4("recovered": {"$ref": "#/$defs/instant"},) \
    J4("tail_s": {"$ref": "#/$defs/seconds",) \
    J5("description": "recovered - demand_back_to_baseline."},) \
    J4("tail_retry_share": {"$ref": "#/$defs/share",) \
    J5("description": "Of the attempts in the tail: retries."},) \
    J4("given": {"type": "boolean", "description": "By --since or --until, not found."},) \
    J4("whole": {"type": "boolean",) \
    J5("description": "The log shows next to nothing outside it."},) \
    J4("others": {"type": "integer", "minimum": 0, "description": "Smaller incidents."},) \
    J4("http": {"$ref": "#/$defs/http", "description": "Inside the incident."},) \
    J4("calls": {"$ref": "#/$defs/calls", "description": "Inside the incident."}) \
    J3(}) \
    J2(},)

#define DEF_FILE \
    J2("file": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": [) \
    J4("path", "compression", "format", "bytes", "bytes_decompressed", "lines",) \
    J4("rejected", "truncated", "problem", "wrappers") \
    J3(],) \
    J3("properties": {) \
    J4("path": {"type": "string"},) \
    J4("compression": {"$ref": "#/$defs/text"},) \
    J4("format": {"$ref": "#/$defs/text",) \
    J5("description": "null when no line was recognised."},) \
    J4("bytes": {"$ref": "#/$defs/count"},) \
    J4("bytes_decompressed": {"$ref": "#/$defs/count"},) \
    J4("lines": {"$ref": "#/$defs/count"},) \
    J4("rejected": {"$ref": "#/$defs/count",) \
    J5("description": "Lines that are no request."},) \
    J4("truncated": {"type": "boolean"},) \
    J4("problem": {"$ref": "#/$defs/text",) \
    J5("description": "What was wrong with the file, in one sentence."},) \
    J4("wrappers": {"type": "array", "items": {"type": "string"},) \
    J5("description": "What was peeled off its lines: rfc5424, docker, cri, ...") \
    J4(}) \
    J3(}) \
    J2(},)

#define DEF_LINES \
    J2("lines": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": ["total", "parsed", "filtered", "rejected", "ignored"],) \
    J3("properties": {) \
    J4("total": {"$ref": "#/$defs/count"},) \
    J4("parsed": {"$ref": "#/$defs/count"},) \
    J4("filtered": {"$ref": "#/$defs/count",) \
    J5("description": "Left out by --since, --until, --match."},) \
    J4("rejected": {"$ref": "#/$defs/count", "description": "No request."},) \
    J4("ignored": {"$ref": "#/$defs/count", "description": "Comments and blank lines."}) \
    J3(}) \
    J2(},)

#define DEF_REJECTED_SAMPLE \
    J2("rejected_sample": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": ["file", "line", "reason", "text", "length"],) \
    J3("properties": {) \
    J4("file": {"$ref": "#/$defs/text"},) \
    J4("line": {"$ref": "#/$defs/count"},) \
    J4("reason": {"$ref": "#/$defs/text"},) \
    J4("text": {"$ref": "#/$defs/text",) \
    J5("description": "The line, escaped and cut; null under --redact."},) \
    J4("length": {"$ref": "#/$defs/count", "description": "Of the line, in bytes."}) \
    J3(}) \
    J2(},)

#define DEF_SPAN \
    J2("span": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": ["start", "end", "seconds"],) \
    J3("properties": {) \
    J4("start": {"$ref": "#/$defs/instant"},) \
    J4("end": {"$ref": "#/$defs/instant"},) \
    J4("seconds": {"$ref": "#/$defs/seconds"}) \
    J3(}) \
    J2(},)

#define DEF_TIME \
    J2("time": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": ["resolution_s", "moment", "corrected_to_start", "zone"],) \
    J3("properties": {) \
    J4("resolution_s": {"$ref": "#/$defs/seconds",) \
    J5("description": "Of the time stamps."},) \
    J4("moment": {"enum": ["start", "end", null],) \
    J5("description": "What the logged time denotes."},) \
    J4("corrected_to_start": {"type": "boolean",) \
    J5("description": "Arrivals are stamp minus duration."},) \
    J4("zone": {"enum": ["logged", "given", "assumed-utc", null]}) \
    J3(}) \
    J2(},)

#define DEF_IDENTITY \
    J2("identity": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": ["call", "attempt", "task", "caller"],) \
    J3("properties": {) \
    J4("call": {"$ref": "#/$defs/text"},) \
    J4("attempt": {"$ref": "#/$defs/text"},) \
    J4("task": {"$ref": "#/$defs/text"},) \
    J4("caller": {"$ref": "#/$defs/text"}) \
    J3(}) \
    J2(},)

#define DEF_LIMITS \
    J2("limits": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": [) \
    J4("evicted_calls", "folded_callers", "folded_targets", "folded_user_agents", "late_lines",) \
    J4("unlisted_files") \
    J3(],) \
    J3("properties": {) \
    J4("evicted_calls": {"$ref": "#/$defs/count"},) \
    J4("folded_callers": {"$ref": "#/$defs/count"},) \
    J4("folded_targets": {"$ref": "#/$defs/count",) \
    J5("description": "Requests whose target counts as \"other\"."},) \
    J4("folded_user_agents": {"$ref": "#/$defs/count",) \
    J5("description": "Requests whose user agent counts as \"other\"."},) \
    J4("late_lines": {"$ref": "#/$defs/count",) \
    J5("description": "Lines later than the reorder window: counted, out of their order."},) \
    J4("unlisted_files": {"$ref": "#/$defs/count",) \
    J5("description": "Inputs that are not in files, for there are so many: what was read of them counts."}) \
    J3(}) \
    J2(},)

#define DEF_DISTINCT \
    J2("distinct": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": [) \
    J4("callers", "callers_error", "targets", "targets_error", "user_agents", "user_agents_error") \
    J3(],) \
    J3("properties": {) \
    J4("callers": {"$ref": "#/$defs/count", "description": "By caller and user agent."},) \
    J4("callers_error": {"$ref": "#/$defs/real",) \
    J5("description": "Relative standard error of an estimate; 0 = counted one by one."},) \
    J4("targets": {"$ref": "#/$defs/count"},) \
    J4("targets_error": {"$ref": "#/$defs/real"},) \
    J4("user_agents": {"$ref": "#/$defs/count"},) \
    J4("user_agents_error": {"$ref": "#/$defs/real"}) \
    J3(}) \
    J2(},)

#define DEF_INPUT \
    J2("input": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": [) \
    J4("partial", "rejection", "files", "lines", "rejected_reasons", "rejected_samples", "span", "time", "identity",) \
    J4("distinct", "limits") \
    J3(],) \
    J3("properties": {) \
    J4("partial": {"type": "boolean",) \
    J5("description": "The run was interrupted: the report covers what was read."},) \
    J4("rejection": {"$ref": "#/$defs/text",) \
    J5("description": "What counts as a rejection: 429, 503, 529, or the list that was given."},) \
    J4("files": {"type": "array",) \
    J5("description": "By first instant, then path.", "items": {"$ref": "#/$defs/file"}},) \
    J4("lines": {"$ref": "#/$defs/lines",) \
    J5("description": "total = parsed + filtered + rejected + ignored."},) \
    J4("rejected_reasons": {"type": "object",) \
    J5("description": "Rejected lines by reason; they add up to lines.rejected.",) \
    J5("additionalProperties": {"$ref": "#/$defs/count"}},) \
    J4("rejected_samples": {"type": "array", "maxItems": 20,) \
    J5("items": {"$ref": "#/$defs/rejected_sample"}},) \
    J4("span": {"$ref": "#/$defs/span", "description": "First to last arrival."},) \
    J4("time": {"$ref": "#/$defs/time"},) \
    J4("identity": {"$ref": "#/$defs/identity",) \
    J5("description": "The field each identity was read from, \"inferred\", or null."},) \
    J4("distinct": {"$ref": "#/$defs/distinct",) \
    J5("description": "How many different ones there were."},) \
    J4("limits": {"$ref": "#/$defs/limits",) \
    J5("description": "What a memory bound made coarser; 0 = exact."}) \
    J3(}) \
    J2(},)

#define DEF_RECONCILIATION \
    J2("reconciliation": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": [) \
    J4("rejected", "in_recovered_calls", "in_failed_calls", "in_open_calls",) \
    J4("unattributed", "explanation") \
    J3(],) \
    J3("properties": {) \
    J4("rejected": {"$ref": "#/$defs/count", "description": "The sum of the four."},) \
    J4("in_recovered_calls": {"$ref": "#/$defs/count"},) \
    J4("in_failed_calls": {"$ref": "#/$defs/count"},) \
    J4("in_open_calls": {"$ref": "#/$defs/count"},) \
    J4("unattributed": {"$ref": "#/$defs/count"},) \
    J4("explanation": {"$ref": "#/$defs/text",) \
    J5("description": "Both rates with their denominators, in one sentence."}) \
    J3(}) \
    J2(},)

#define DEF_OVER_BUDGET \
    J2("over_budget": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": ["0.1", "0.2"],) \
    J3("properties": {) \
    J4("0.1": {"$ref": "#/$defs/count"},) \
    J4("0.2": {"$ref": "#/$defs/count"}) \
    J3(}) \
    J2(},)

#define DEF_WASTED \
    J2("wasted": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": [) \
    J4("after_client_left", "non_retryable", "ignored_retry_after", "over_budget",) \
    J4("retry_share") \
    J3(],) \
    J3("properties": {) \
    J4("after_client_left": {"$ref": "#/$defs/count",) \
    J5("description": "Retries after an attempt that its client had left."},) \
    J4("non_retryable": {"$ref": "#/$defs/count",) \
    J5("description": "Retries of errors that no wait helps, and of a used-up quota."},) \
    J4("ignored_retry_after": {"$ref": "#/$defs/count",) \
    J5("description": "Retries that came before the Retry-After they were told."},) \
    J4("over_budget": {"$ref": "#/$defs/over_budget",) \
    J5("description": "Retries above this share of a minute's first attempts."},) \
    J4("retry_share": {"$ref": "#/$defs/share", "description": "Retries / attempts."}) \
    J3(}) \
    J2(},)

#define DEF_ARRIVALS \
    J2("arrivals": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": ["bin_s", "start", "all", "rejected", "retries"],) \
    J3("properties": {) \
    J4("bin_s": {"$ref": "#/$defs/seconds",) \
    J5("description": "Bin i begins at start + i * bin_s; null when there is no attempt."},) \
    J4("start": {"$ref": "#/$defs/instant"},) \
    J4("all": {"type": "array", "maxItems": 4096,) \
    J5("items": {"type": "integer", "minimum": 0}},) \
    J4("rejected": {"type": "array", "maxItems": 4096,) \
    J5("items": {"type": "integer", "minimum": 0}},) \
    J4("retries": {"type": ["array", "null"], "maxItems": 4096,) \
    J5("description": "Later attempts of a call and later calls of a task.",) \
    J5("items": {"type": "integer", "minimum": 0}}) \
    J3(}) \
    J2(},)

#define DEF_SPECTRUM \
    J2("spectrum": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": ["bin_s", "period_s", "power", "threshold"],) \
    J3("properties": {) \
    J4("bin_s": {"$ref": "#/$defs/seconds"},) \
    J4("period_s": {"type": "array", "maxItems": 2048,) \
    J5("items": {"$ref": "#/$defs/real"}},) \
    J4("power": {"type": "array", "maxItems": 2048, "items": {"$ref": "#/$defs/real"}},) \
    J4("threshold": {"$ref": "#/$defs/real",) \
    J5("description": "Power at the stated false-alarm level."}) \
    J3(}) \
    J2(},)

#define DEF_CAUSE \
    J2("cause": {) \
    J3("type": ["object", "null"], "additionalProperties": false,) \
    J3("required": ["rejections", "start", "end"],) \
    J3("properties": {) \
    J4("rejections": {"$ref": "#/$defs/count"},) \
    J4("start": {"$ref": "#/$defs/instant"},) \
    J4("end": {"$ref": "#/$defs/instant"}) \
    J3(}) \
    J2(},)

#define DEF_EVIDENCE \
    J2("evidence": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": [) \
    J4("comebacks", "comebacks_on_delay", "preceded_by_rejection", "rejected_share",) \
    J4("callers", "at_whole_minutes", "from") \
    J3(],) \
    J3("properties": {) \
    J4("comebacks": {"$ref": "#/$defs/count",) \
    J5("description": "Attempts after a failure, on this delay."},) \
    J4("comebacks_on_delay": {"$ref": "#/$defs/share",) \
    J5("description": "Of all comebacks of these callers."},) \
    J4("preceded_by_rejection": {"$ref": "#/$defs/share",) \
    J5("description": "Of the arrivals in waves."},) \
    J4("rejected_share": {"$ref": "#/$defs/share",) \
    J5("description": "Of the arrivals in waves: rejected."},) \
    J4("callers": {"$ref": "#/$defs/count"},) \
    J4("at_whole_minutes": {"type": "boolean"},) \
    J4("from": {"enum": ["callers", "rejections", "arrivals", null],) \
    J5("description": "The weakest witness that suffices."}) \
    J3(}) \
    J2(},)

#define DEF_CANDIDATE \
    J2("candidate": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": ["constant_s", "what"],) \
    J3("properties": {) \
    J4("constant_s": {"$ref": "#/$defs/seconds"},) \
    J4("what": {"$ref": "#/$defs/text"}) \
    J3(}) \
    J2(},)

#define DEF_WAVE \
    J2("wave": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": ["start", "arrivals", "rejected", "width_s", "peak_per_s"],) \
    J3("properties": {) \
    J4("start": {"$ref": "#/$defs/instant"},) \
    J4("arrivals": {"$ref": "#/$defs/count"},) \
    J4("rejected": {"$ref": "#/$defs/count"},) \
    J4("width_s": {"$ref": "#/$defs/seconds"},) \
    J4("peak_per_s": {"$ref": "#/$defs/real"}) \
    J3(}) \
    J2(},)

#define DEF_CLOCK \
    J2("clock": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": [) \
    J4("kind", "period_s", "period_error_s", "delay_s", "false_alarm_probability",) \
    J4("start", "end", "waves", "width_s", "duty", "phase_s", "drift_s",) \
    J4("population", "targets", "cause", "share", "survival_ratio",) \
    J4("survival_ratio_interval", "evidence", "candidates", "wave_list", "owner", "phase") \
    J3(],) \
    J3("properties": {) \
    J4("kind": {"enum": ["retry", "scheduled", "unexplained"]},) \
    J4("period_s": {"$ref": "#/$defs/seconds"},) \
    J4("period_error_s": {"$ref": "#/$defs/seconds"},) \
    J4("delay_s": {"$ref": "#/$defs/seconds",) \
    J5("description": "The constant in the retry path, where comebacks can be paired."},) \
    J4("false_alarm_probability": {"$ref": "#/$defs/share",) \
    J5("description": "Over all periods and windows tried; 1e-300 at least."},) \
    J4("start": {"$ref": "#/$defs/instant"},) \
    J4("end": {"$ref": "#/$defs/instant"},) \
    J4("waves": {"$ref": "#/$defs/count"},) \
    J4("width_s": {"$ref": "#/$defs/seconds",) \
    J5("description": "In which the middle 90 % of a wave arrives."},) \
    J4("duty": {"$ref": "#/$defs/real", "description": "width_s / period_s."},) \
    J4("phase_s": {"$ref": "#/$defs/seconds",) \
    J5("description": "Of the waves in the period, since the epoch."},) \
    J4("drift_s": {"$ref": "#/$defs/seconds", "description": "Cycle minus delay."},) \
    J4("population": {"$ref": "#/$defs/text",) \
    J5("description": "The user agent as logged; null when there is none or more than one."},) \
    J4("targets": {"type": "array", "items": {"type": "string"}},) \
    J4("cause": {"$ref": "#/$defs/cause",) \
    J5("description": "What was rejected one delay before the first wave; null when not known."},) \
    J4("share": {"$ref": "#/$defs/share",) \
    J5("description": "Of the arrivals between start and end."},) \
    J4("survival_ratio": {"$ref": "#/$defs/real",) \
    J5("description": "Size of a wave / size of the one before."},) \
    J4("survival_ratio_interval": {"type": ["array", "null"], "minItems": 2, "maxItems": 2,) \
    J5("items": {"type": "number"}},) \
    J4("evidence": {"$ref": "#/$defs/evidence"},) \
    J4("candidates": {"type": "array",) \
    J5("description": "Well-known settings of this value, multiples of such, and sums of delays that were seen.",) \
    J5("items": {"$ref": "#/$defs/candidate"}},) \
    J4("wave_list": {"type": "array", "items": {"$ref": "#/$defs/wave"}},) \
    J4("owner": {"$ref": "#/$defs/text",) \
    J5("description": "Who ticks: how many, user agent, how often."},) \
    J4("phase": {"type": ["object", "null"], "additionalProperties": false,) \
    J5("description": "Attempts from start to end, folded at the period since the epoch.",) \
    J5("required": ["bin_s", "all", "rejected"],) \
    J5("properties": {"bin_s": {"$ref": "#/$defs/seconds"},) \
    J5("all": {"type": "array", "items": {"type": "integer"}}, "rejected": {"type": "array", "items": {"type": "integer"}}}}) \
    J3(}) \
    J2(},)

#define DEF_FIXED_DELAY \
    J2("fixed_delay": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": ["delay_s", "population", "comebacks", "synchronised"],) \
    J3("properties": {) \
    J4("delay_s": {"$ref": "#/$defs/seconds"},) \
    J4("population": {"$ref": "#/$defs/text"},) \
    J4("comebacks": {"$ref": "#/$defs/count"},) \
    J4("synchronised": {"type": "boolean",) \
    J5("description": "Its comebacks arrive together: it is also a clock."}) \
    J3(}) \
    J2(},)

#define DEF_LAYER \
    J2("layer": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": [) \
    J4("population", "name", "identity", "units", "attempts", "amplification",) \
    J4("amplification_max", "cap", "bounded", "delay_s", "expected_amplification") \
    J3(],) \
    J3("properties": {) \
    J4("population": {"$ref": "#/$defs/text"},) \
    J4("name": {"$ref": "#/$defs/text", "description": "sdk, proxy, job, or as --layer names it."},) \
    J4("identity": {"$ref": "#/$defs/text",) \
    J5("description": "A field, or \"delay:SECONDS\" when inferred."},) \
    J4("units": {"$ref": "#/$defs/count"},) \
    J4("attempts": {"$ref": "#/$defs/count"},) \
    J4("amplification": {"$ref": "#/$defs/real", "description": "attempts / units."},) \
    J4("amplification_max": {"$ref": "#/$defs/count"},) \
    J4("cap": {"$ref": "#/$defs/count",) \
    J5("description": "The most attempts of a unit; null when none was seen."},) \
    J4("bounded": {"type": ["boolean", "null"],) \
    J5("description": "false when counts grow with the incident."},) \
    J4("delay_s": {"$ref": "#/$defs/seconds"},) \
    J4("expected_amplification": {"$ref": "#/$defs/real",) \
    J5("description": "(1 - p^cap) / (1 - p), p: share of failed attempts; null: no fit."}) \
    J3(}) \
    J2(},)

#define DEF_AMPLIFIED \
    J2("amplified": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": [) \
    J4("population", "units", "attempts", "mean", "max", "bounded", "cycle_units",) \
    J4("cycle_attempts", "cycle_s") \
    J3(],) \
    J3("properties": {) \
    J4("population": {"$ref": "#/$defs/text"},) \
    J4("units": {"$ref": "#/$defs/count", "description": "Of its topmost layer seen."},) \
    J4("attempts": {"$ref": "#/$defs/count", "description": "HTTP attempts."},) \
    J4("mean": {"$ref": "#/$defs/real", "description": "attempts / units."},) \
    J4("max": {"$ref": "#/$defs/count"},) \
    J4("bounded": {"type": ["boolean", "null"],) \
    J5("description": "false when counts grow with the incident."},) \
    J4("cycle_units": {"$ref": "#/$defs/count",) \
    J5("description": "Tasks that may return together in each cycle of cycle_s."},) \
    J4("cycle_attempts": {"$ref": "#/$defs/count",) \
    J5("description": "Their HTTP attempts in it, at worst."},) \
    J4("cycle_s": {"$ref": "#/$defs/seconds"}) \
    J3(}) \
    J2(},)

#define DEF_DELAYS_OF_ATTEMPT \
    J2("delays_of_attempt": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": ["attempt", "n", "p5_s", "p50_s", "p95_s", "bin_s", "counts"],) \
    J3("properties": {) \
    J4("attempt": {"$ref": "#/$defs/count"},) \
    J4("n": {"$ref": "#/$defs/count"},) \
    J4("p5_s": {"$ref": "#/$defs/seconds"},) \
    J4("p50_s": {"$ref": "#/$defs/seconds"},) \
    J4("p95_s": {"$ref": "#/$defs/seconds"},) \
    J4("bin_s": {"$ref": "#/$defs/seconds"},) \
    J4("counts": {"type": "array", "items": {"type": "integer", "minimum": 0}}) \
    J3(}) \
    J2(},)

#define DEF_POLICY \
    J2("policy": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": [) \
    J4("population", "layer", "callers", "calls", "comebacks", "policy", "base_s",) \
    J4("factor", "cap_s", "jitter", "max_attempts", "looks_like", "support",) \
    J4("runner_up", "flags", "regime_change_at", "retry_after", "by_attempt") \
    J3(],) \
    J3("properties": {) \
    J4("population": {"$ref": "#/$defs/text"},) \
    J4("layer": {"$ref": "#/$defs/text"},) \
    J4("callers": {"$ref": "#/$defs/count"},) \
    J4("calls": {"$ref": "#/$defs/count"},) \
    J4("comebacks": {"$ref": "#/$defs/count"},) \
    J4("policy": {"enum": [) \
    J5("none", "immediate", "fixed", "exponential", "equal-jitter", "full-jitter",) \
    J5("decorrelated-jitter", "percent-jitter", "retry-after-exact",) \
    J5("retry-after-jitter", null) \
    J4(]},) \
    J4("base_s": {"$ref": "#/$defs/seconds"},) \
    J4("factor": {"$ref": "#/$defs/real"},) \
    J4("cap_s": {"$ref": "#/$defs/seconds"},) \
    J4("jitter": {"$ref": "#/$defs/real"},) \
    J4("max_attempts": {"$ref": "#/$defs/count"},) \
    J4("looks_like": {"type": "array", "items": {"type": "string"}},) \
    J4("support": {"$ref": "#/$defs/share"},) \
    J4("runner_up": {"$ref": "#/$defs/text"},) \
    J4("flags": {"type": "array", "items": {"enum": [) \
    J5("cap-binding", "zero-spike", "identical-draws", "draw-reused",) \
    J5("ignores-retry-after", "no-cap", "deterministic-backoff",) \
    J5("attempt-counter-reset", "no-jitter-on-first", "regime-change",) \
    J5("retries-after-client-left", "retries-non-retryable") \
    J4(]}},) \
    J4("regime_change_at": {"$ref": "#/$defs/count",) \
    J5("description": "The attempt after which delays follow another rule."},) \
    J4("retry_after": {"anyOf": [{"$ref": "#/$defs/obedience"}, {"type": "null"}],) \
    J5("description": "Of the comebacks sampled that were told when; null: none was."},) \
    J4("by_attempt": {"type": "array", "items": {"$ref": "#/$defs/delays_of_attempt"}}) \
    J3(}) \
    J2(},)

#define DEF_ASKED \
    J2("asked": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": ["value_s", "count"],) \
    J3("properties": {) \
    J4("value_s": {"$ref": "#/$defs/seconds"},) \
    J4("count": {"$ref": "#/$defs/count"}) \
    J3(}) \
    J2(},)

#define DEF_RETRY_AFTER \
    J2("retry_after": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": [) \
    J4("rejections", "with_header", "values", "forms", "malformed", "negative", "past", "zero",) \
    J4("told", "exact", "early", "spread", "unit_factor", "share_over_time", "share_from",) \
    J4("share_bin_s", "findings") \
    J3(],) \
    J3("properties": {) \
    J4("rejections": {"$ref": "#/$defs/count"},) \
    J4("with_header": {"$ref": "#/$defs/count"},) \
    J4("values": {"type": "array",) \
    J5("description": "Most frequent first.", "items": {"$ref": "#/$defs/asked"}},) \
    J4("forms": {"$ref": "#/$defs/asked_forms",) \
    J5("description": "With past and malformed they add up to with_header."},) \
    J4("malformed": {"$ref": "#/$defs/count",) \
    J5("description": "Neither seconds nor an HTTP-date; negative numbers with them."},) \
    J4("negative": {"$ref": "#/$defs/count", "description": "Of the malformed."},) \
    J4("past": {"$ref": "#/$defs/count", "description": "Dates that were over."},) \
    J4("zero": {"$ref": "#/$defs/count", "description": "Come back at once."},) \
    J4("told": {"$ref": "#/$defs/count",) \
    J5("description": "Comebacks after a value to wait by."},) \
    J4("exact": {"$ref": "#/$defs/share",) \
    J5("description": "Of these: at that time, or up to 2.5 % (50 ms, 1 s) late."},) \
    J4("early": {"$ref": "#/$defs/share", "description": "Of the same."},) \
    J4("spread": {"$ref": "#/$defs/share", "description": "Of the same: later."},) \
    J4("unit_factor": {"$ref": "#/$defs/unit_factor"},) \
    J4("share_over_time": {"type": "array", "maxItems": 60,) \
    J5("description": "Of the rejections of a bin, those with the header; null: none.",) \
    J5("items": {"$ref": "#/$defs/share"}},) \
    J4("share_from": {"$ref": "#/$defs/instant", "description": "Where the first bin begins."},) \
    J4("share_bin_s": {"$ref": "#/$defs/seconds"},) \
    J4("findings": {"type": "array", "items": {"type": "string"},) \
    J5("description": "What the header does here, in words."}) \
    J3(}) \
    J2(},) \
    J2("asked_forms": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": ["seconds", "fraction", "milliseconds", "date"],) \
    J3("properties": {) \
    J4("seconds": {"$ref": "#/$defs/count"},) \
    J4("fraction": {"$ref": "#/$defs/count"},) \
    J4("milliseconds": {"$ref": "#/$defs/count"},) \
    J4("date": {"$ref": "#/$defs/count", "description": "An HTTP-date still to come."}) \
    J3(}) \
    J2(},) \
    J2("unit_factor": {"enum": [1e-06, 0.001, 1000, 1000000, null],) \
    J3("description": "Waited / asked, where it is a power of 1,000: a mistake of units."},) \
    J2("obedience": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": ["told", "exact", "early", "spread", "unit_factor"],) \
    J3("properties": {) \
    J4("told": {"$ref": "#/$defs/count"},) \
    J4("exact": {"$ref": "#/$defs/share"},) \
    J4("early": {"$ref": "#/$defs/share"},) \
    J4("spread": {"$ref": "#/$defs/share"},) \
    J4("unit_factor": {"$ref": "#/$defs/unit_factor"}) \
    J3(}) \
    J2(},)

#define DEF_BYSTANDERS \
    J2("bystanders": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": ["rejected_in_waves", "rejected_outside"],) \
    J3("properties": {) \
    J4("rejected_in_waves": {"$ref": "#/$defs/share",) \
    J5("description": "Of their attempts while a wave arrived; null: too few."},) \
    J4("rejected_outside": {"$ref": "#/$defs/share",) \
    J5("description": "The same between the waves."}) \
    J3(}) \
    J2(},)

#define DEF_CAPACITY \
    J2("capacity": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": [) \
    J4("allowance_per_s", "allowance_low_per_s", "allowance_high_per_s", "source",) \
    J4("population", "demand_per_s", "spare_per_s", "backlog", "drain_s", "deficit_per_s",) \
    J4("bucket", "bucket_emptied_in_s", "kind", "window_s", "failed_attempt_cost",) \
    J4("bystanders") \
    J3(],) \
    J3("properties": {) \
    J4("allowance_per_s": {"$ref": "#/$defs/real", "description": "Requests admitted."},) \
    J4("allowance_low_per_s": {"$ref": "#/$defs/real",) \
    J5("description": "A quarter of the full stretches admitted less."},) \
    J4("allowance_high_per_s": {"$ref": "#/$defs/real",) \
    J5("description": "A quarter of them admitted more."},) \
    J4("source": {"enum": ["given", "inferred", null]},) \
    J4("population": {"$ref": "#/$defs/text",) \
    J5("description": "Whose requests all this counts; null: everybody's."},) \
    J4("demand_per_s": {"$ref": "#/$defs/real",) \
    J5("description": "Attempts that are no comebacks, in the incident."},) \
    J4("spare_per_s": {"$ref": "#/$defs/real", "description": "allowance - demand."},) \
    J4("backlog": {"$ref": "#/$defs/real",) \
    J5("description": "The first wave; under overload what was too much, in all."},) \
    J4("drain_s": {"$ref": "#/$defs/seconds",) \
    J5("description": "backlog / spare; null under overload: it never drains."},) \
    J4("deficit_per_s": {"$ref": "#/$defs/real",) \
    J5("description": "demand - allowance under overload."},) \
    J4("bucket": {"$ref": "#/$defs/real",) \
    J5("description": "Given, or what a wave was granted before it was refused."},) \
    J4("bucket_emptied_in_s": {"$ref": "#/$defs/seconds",) \
    J5("description": "From a wave's first arrival to the first of a row of refusals."},) \
    J4("kind": {"enum": ["token-bucket", "fixed-window", null],) \
    J5("description": "null where the refusals do not tell."},) \
    J4("window_s": {"$ref": "#/$defs/seconds", "description": "Of the fixed window."},) \
    J4("failed_attempt_cost": {"$ref": "#/$defs/real",) \
    J5("description": "Service time of a rejected attempt / of a successful one.",) \
    J5("minimum": 0},) \
    J4("bystanders": {"$ref": "#/$defs/bystanders",) \
    J5("description": "Callers that do not retry in waves."}) \
    J3(}) \
    J2(},)

#define DEF_OUTLOOK \
    J2("outlook": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": ["waves_left", "below_allowance_at", "backlog"],) \
    J3("properties": {) \
    J4("waves_left": {"$ref": "#/$defs/count",) \
    J5("description": "Until a wave fits what is admitted in a period."},) \
    J4("below_allowance_at": {"$ref": "#/$defs/instant"},) \
    J4("backlog": {"$ref": "#/$defs/real", "description": "The last wave seen."}) \
    J3(}) \
    J2(},)

#define DEF_ADVISED \
    J2("advised": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": ["action", "value", "unit", "why", "expected"],) \
    J3("properties": {) \
    J4("action": {"$ref": "#/$defs/text"},) \
    J4("value": {"$ref": "#/$defs/real"},) \
    J4("unit": {"$ref": "#/$defs/text"},) \
    J4("why": {"$ref": "#/$defs/text"},) \
    J4("expected": {"$ref": "#/$defs/expected",) \
    J5("description": "What the simulator makes of it on this incident; null when it was not asked."}) \
    J3(}) \
    J2(},)

#define DEF_EXPECTED \
    J2("expected": {) \
    J3("type": ["object", "null"], "additionalProperties": false,) \
    J3("required": ["simulated", "requests_before", "requests_after", "rejected_share_before",) \
    J4("rejected_share_after", "drain_before_s", "drain_after_s", "lost_before", "lost_after",) \
    J4("why_not"],) \
    J3("properties": {) \
    J4("simulated": {"$ref": "#/$defs/text",) \
    J5("description": "The change that was simulated, as options of lockstep whatif."},) \
    J4("requests_before": {"$ref": "#/$defs/real",) \
    J5("description": "Of the callers that change, simulated as they are."},) \
    J4("requests_after": {"$ref": "#/$defs/real"},) \
    J4("rejected_share_before": {"$ref": "#/$defs/share"},) \
    J4("rejected_share_after": {"$ref": "#/$defs/share"},) \
    J4("drain_before_s": {"$ref": "#/$defs/seconds",) \
    J5("description": "From the first failure until nobody fails or waits any more."},) \
    J4("drain_after_s": {"$ref": "#/$defs/seconds"},) \
    J4("lost_before": {"$ref": "#/$defs/real", "description": "Tasks that were not served."},) \
    J4("lost_after": {"$ref": "#/$defs/real"},) \
    J4("why_not": {"$ref": "#/$defs/text",) \
    J5("description": "Why it was not simulated; null where it was."}) \
    J3(}) \
    J2(},)

#define DEF_WORKLOAD \
    J2("workload": {) \
    J3("type": ["object", "null"], "additionalProperties": false,) \
    J3("required": ["start", "bin_s", "waves_from_s", "request_rate", "populations"],) \
    J3("properties": {) \
    J4("start": {"$ref": "#/$defs/instant", "description": "Of bin 0."},) \
    J4("bin_s": {"$ref": "#/$defs/seconds"},) \
    J4("waves_from_s": {"$ref": "#/$defs/seconds",) \
    J5("description": "After start: what set the waves off is over; null: nobody comes back in waves."},) \
    J4("request_rate": {"$ref": "#/$defs/request_rate"},) \
    J4("populations": {"type": "array", "maxItems": 12,) \
    J5("description": "Most failed attempts first; null: those that share a row.",) \
    J5("items": {"$ref": "#/$defs/crowd"}}) \
    J3(}) \
    J2(},)

#define DEF_REQUEST_RATE \
    J2("request_rate": {) \
    J3("type": ["object", "null"], "additionalProperties": false,) \
    J3("description": "What all requests draw on from waves_from_s on, the refused ones too; null: nothing shows it.",) \
    J3("required": ["per_s", "bucket", "refused_cost", "debt"],) \
    J3("properties": {) \
    J4("per_s": {"$ref": "#/$defs/real", "description": "Requests."},) \
    J4("bucket": {"$ref": "#/$defs/real", "description": "Depth, requests."},) \
    J4("refused_cost": {"$ref": "#/$defs/share", "description": "What a refused request takes; a served one takes 1."},) \
    J4("debt": {"$ref": "#/$defs/real", "description": "It owes no more; nobody is served while it owes."}) \
    J3(}) \
    J2(},)

#define DEF_CROWD \
    J2("crowd": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": ["population", "tasks", "calls", "failed_calls", "requeued", "attempts", "failed",) \
    J4("rejected", "later_attempts", "later_failed", "success_mean_s", "success_p99_s", "first_failure_s", "last_failure_s",) \
    J4("service_s", "refusal_s", "admission", "allowance_per_s", "bucket", "pool",) \
    J4("leave_share", "first", "refused_share"],) \
    J3("properties": {) \
    J4("population": {"$ref": "#/$defs/text"},) \
    J4("tasks": {"$ref": "#/$defs/count", "description": "Calls that no task made again."},) \
    J4("calls": {"$ref": "#/$defs/count"},) \
    J4("failed_calls": {"$ref": "#/$defs/count"},) \
    J4("requeued": {"$ref": "#/$defs/count", "description": "Calls that a task made again."},) \
    J4("attempts": {"$ref": "#/$defs/count"},) \
    J4("failed": {"$ref": "#/$defs/count",) \
    J5("description": "Attempts that a caller may come back from."},) \
    J4("rejected": {"$ref": "#/$defs/count"},) \
    J4("later_attempts": {"$ref": "#/$defs/count", "description": "Of attempts, after waves_from_s."},) \
    J4("later_failed": {"$ref": "#/$defs/count", "description": "Of failed, after waves_from_s."},) \
    J4("success_mean_s": {"$ref": "#/$defs/seconds", "description": "Of calls."},) \
    J4("success_p99_s": {"$ref": "#/$defs/seconds"},) \
    J4("first_failure_s": {"$ref": "#/$defs/seconds", "description": "After start."},) \
    J4("last_failure_s": {"$ref": "#/$defs/seconds", "description": "After start."},) \
    J4("service_s": {"$ref": "#/$defs/seconds",) \
    J5("description": "Mean duration of what was served; null when none is logged."},) \
    J4("refusal_s": {"$ref": "#/$defs/seconds", "description": "... of what failed."},) \
    J4("admission": {"enum": ["open", "token-bucket", "fixed-window", "request-rate", "share", null],) \
    J5("description": "What best explains who was served, by replay of the arrivals."},) \
    J4("allowance_per_s": {"$ref": "#/$defs/real"},) \
    J4("bucket": {"$ref": "#/$defs/real", "description": "Depth, requests."},) \
    J4("pool": {"$ref": "#/$defs/count",) \
    J5("description": "Populations of one number share one allowance; null: its own."},) \
    J4("leave_share": {"$ref": "#/$defs/share",) \
    J5("description": "Of the failed calls of tasks: not made again."},) \
    J4("first": {"type": "array", "maxItems": 2048,) \
    J5("description": "First attempts of tasks, by bin.",) \
    J5("items": {"type": "integer", "minimum": 0}},) \
    J4("refused_share": {"type": ["array", "null"], "maxItems": 2048,) \
    J5("description": "By bin, of admission 'share'; of 'request-rate' before waves_from_s.", "items": {"$ref": "#/$defs/share"}}) \
    J3(}) \
    J2(},)

#define DEF_BY \
    J2("by": {) \
    J3("type": ["object", "null"], "additionalProperties": false,) \
    J3("required": ["field", "values", "other", "folded"],) \
    J3("properties": {) \
    J4("field": {"enum": ["host", "target", "caller"]},) \
    J4("values": {"type": "array", "maxItems": 200,) \
    J5("description": "Most rejected attempts first, then most failed calls, most attempts.",) \
    J5("items": {"$ref": "#/$defs/value"}},) \
    J4("other": {"$ref": "#/$defs/other_values",) \
    J5("description": "The values that have no row, in sum; null when all have one."},) \
    J4("folded": {"$ref": "#/$defs/count",) \
    J5("description": "How many those are; one that came back after it was folded is two."}) \
    J3(}) \
    J2(},)

#define DEF_VALUE \
    J2("value": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": ["value", "http", "calls", "layers", "amplification"],) \
    J3("properties": {) \
    J4("value": {"$ref": "#/$defs/text",) \
    J5("description": "null: the log has none. Cut after 200 bytes."},) \
    J4("http": {"$ref": "#/$defs/http"},) \
    J4("calls": {"$ref": "#/$defs/calls",) \
    J5("description": "Those whose first attempt has the value, by the access log."},) \
    J4("layers": {"type": "array", "items": {"$ref": "#/$defs/layer"}},) \
    J4("amplification": {"type": "array", "items": {"$ref": "#/$defs/amplified"}}) \
    J3(}) \
    J2(},)

#define DEF_OTHER_VALUES \
    J2("other_values": {) \
    J3("type": ["object", "null"], "additionalProperties": false,) \
    J3("required": ["http", "calls", "layers", "amplification"],) \
    J3("properties": {) \
    J4("http": {"$ref": "#/$defs/http"},) \
    J4("calls": {"$ref": "#/$defs/calls"},) \
    J4("layers": {"type": "array", "items": {"$ref": "#/$defs/layer"}},) \
    J4("amplification": {"type": "array", "items": {"$ref": "#/$defs/amplified"}}) \
    J3(}) \
    J2(},)

#define DEF_HTTP \
    J2("http": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": [) \
    J4("requests", "attempts", "errors", "error_share", "client_errors",) \
    J4("client_gave_up", "rejected", "rejected_share", "by_status",) \
    J4("first_attempts", "retries") \
    J3(],) \
    J3("properties": {) \
    J4("requests": {"$ref": "#/$defs/count",) \
    J5("description": "Lines that are requests."},) \
    J4("attempts": {"$ref": "#/$defs/count",) \
    J5("description": "Attempts at the lowest layer that the log shows."},) \
    J4("errors": {"$ref": "#/$defs/count", "description": "Status 5xx or 429."},) \
    J4("error_share": {"$ref": "#/$defs/share", "description": "errors / attempts."},) \
    J4("client_errors": {"$ref": "#/$defs/count", "description": "The other 4xx."},) \
    J4("client_gave_up": {"$ref": "#/$defs/count",) \
    J5("description": "The client left first: 499, 460, 000."},) \
    J4("rejected": {"$ref": "#/$defs/count",) \
    J5("description": "Refused for capacity: see input.rejection."},) \
    J4("rejected_share": {"$ref": "#/$defs/share",) \
    J5("description": "rejected / attempts."},) \
    J4("by_status": {"type": "object",) \
    J5("description": "Attempts by status code.", "additionalProperties": false,) \
    J5("patternProperties": {"^[0-9]{3}$": {"type": "integer", "minimum": 1}}},) \
    J4("first_attempts": {"$ref": "#/$defs/count",) \
    J5("description": "null when no identity tells first attempts from retries."},) \
    J4("retries": {"$ref": "#/$defs/count",) \
    J5("description": "null when no identity tells first attempts from retries."}) \
    J3(}) \
    J2(},)

#define DEF_ATTEMPTS_PER_CALL \
    J2("attempts_per_call": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": ["mean", "p50", "p99", "max"],) \
    J3("properties": {) \
    J4("mean": {"$ref": "#/$defs/real"},) \
    J4("p50": {"$ref": "#/$defs/count"},) \
    J4("p99": {"$ref": "#/$defs/count"},) \
    J4("max": {"$ref": "#/$defs/count"}) \
    J3(}) \
    J2(},)

#define DEF_TIME_TO_SUCCESS_S \
    J2("time_to_success_s": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": ["mean", "p50", "p99", "max"],) \
    J3("properties": {) \
    J4("mean": {"$ref": "#/$defs/seconds"},) \
    J4("p50": {"$ref": "#/$defs/seconds"},) \
    J4("p99": {"$ref": "#/$defs/seconds"},) \
    J4("max": {"$ref": "#/$defs/seconds"}) \
    J3(}) \
    J2(},)

#define DEF_CALLS \
    J2("calls": {) \
    J3("type": "object", "additionalProperties": false,) \
    J3("required": [) \
    J4("source", "total", "failed", "failed_share", "succeeded_first", "recovered",) \
    J4("open", "attempts_per_call", "time_to_success_s", "waiting_share",) \
    J4("never_seen_in_http", "never_seen_in_sdk", "began_before", "counts_only") \
    J3(],) \
    J3("properties": {) \
    J4("source": {"enum": ["sdk-log", "identity", "inferred", null],) \
    J5("description": "Where the calls were read from."},) \
    J4("total": {"$ref": "#/$defs/count"},) \
    J4("failed": {"$ref": "#/$defs/count"},) \
    J4("failed_share": {"$ref": "#/$defs/share", "description": "failed / total."},) \
    J4("succeeded_first": {"$ref": "#/$defs/count",) \
    J5("description": "Succeeded with their first attempt."},) \
    J4("recovered": {"$ref": "#/$defs/count",) \
    J5("description": "Succeeded after more than one HTTP attempt."},) \
    J4("open": {"$ref": "#/$defs/count",) \
    J5("description": "Neither succeeded nor given up when the log ends."},) \
    J4("attempts_per_call": {"$ref": "#/$defs/attempts_per_call"},) \
    J4("time_to_success_s": {"$ref": "#/$defs/time_to_success_s",) \
    J5("description": "From the first attempt's start to the success's end."},) \
    J4("waiting_share": {"$ref": "#/$defs/share",) \
    J5("description": "Of that time: spent in delays."},) \
    J4("never_seen_in_http": {"$ref": "#/$defs/count",) \
    J5("description": "Calls of the SDK log without an attempt in the access log."},) \
    J4("never_seen_in_sdk": {"$ref": "#/$defs/count",) \
    J5("description": "Calls of the access log that the SDK log does not know."},) \
    J4("began_before": {"$ref": "#/$defs/count",) \
    J5("description": "Of the total: their first attempts are before the log."},) \
    J4("counts_only": {"type": "boolean",) \
    J5("description": "The sums were estimated; single calls are not known."}) \
    J3(}) \
    J2(}) \
    J1(}) \
    J0(})

#define PIECES(X) \
    X(HEAD) X(DEF_GENERATOR) X(DEF_VERDICT) X(DEF_INCIDENT) X(DEF_FILE) X(DEF_LINES) \
    X(DEF_REJECTED_SAMPLE) X(DEF_SPAN) X(DEF_TIME) X(DEF_IDENTITY) X(DEF_DISTINCT) X(DEF_LIMITS) \
    X(DEF_INPUT) X(DEF_RECONCILIATION) X(DEF_OVER_BUDGET) X(DEF_WASTED) X(DEF_ARRIVALS) \
    X(DEF_SPECTRUM) X(DEF_CAUSE) X(DEF_EVIDENCE) X(DEF_CANDIDATE) X(DEF_WAVE) X(DEF_CLOCK) \
    X(DEF_FIXED_DELAY) X(DEF_LAYER) X(DEF_AMPLIFIED) X(DEF_DELAYS_OF_ATTEMPT) X(DEF_POLICY) \
    X(DEF_ASKED) X(DEF_RETRY_AFTER) X(DEF_BYSTANDERS) X(DEF_CAPACITY) X(DEF_OUTLOOK) \
    X(DEF_WORKLOAD) X(DEF_REQUEST_RATE) X(DEF_CROWD) X(DEF_ADVISED) X(DEF_EXPECTED) X(DEF_BY) X(DEF_VALUE) X(DEF_OTHER_VALUES) X(DEF_HTTP) \
    X(DEF_ATTEMPTS_PER_CALL) X(DEF_TIME_TO_SUCCESS_S) \
    X(DEF_CALLS)

#define MEMBER(piece) char piece##_text[sizeof(piece) - 1]; /* without its NUL */
#define VALUE(piece) piece,
/* clang-format on */

static const struct {
    PIECES(MEMBER)
    char end;
} SCHEMA = { PIECES(VALUE) '\0' };

const char *lk_schema_text(void)
{
    return (const char *)&SCHEMA;
}
