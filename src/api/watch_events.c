#include "api/watch_events.h"

#include "base/buf.h"
#include "base/text.h"
#include "base/time.h"
#include "model/json.h"
#include "report/json_part.h"
#include "report/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WAVES_TOLD = 20, WHO_COLUMNS = 40, VARIABLES = 16, CANDIDATES_TOLD = 3 };

/* clang-format off */
static const char *const NAMES[] = {
    [LOCKSTEP_WATCH_CLOCK] = "clock", [LOCKSTEP_WATCH_FADE] = "fade",
    [LOCKSTEP_WATCH_MINUTE] = "minute", [LOCKSTEP_WATCH_QUIET] = "quiet",
    [LOCKSTEP_WATCH_NOTE] = "note", [LOCKSTEP_WATCH_END] = "end",
};
/* clang-format on */

static const char *const NO_VARIABLES[] = { NULL };

static lk_code no_memory(lk_err *e)
{
    return lk_fail(e, LK_EOOM, "no memory to tell what was seen");
}

/* ---- JSON ---- */

/* A document on one line: line ends and indents outside strings go. */
static char *on_one_line(char *text)
{
    char *to = text;
    bool in_string = false;

    for (const char *p = text; *p; p++) {
        if (!in_string && (*p == '\n' || *p == ' '))
            continue;
        if (in_string && *p == '\\' && p[1]) {
            *to++ = *p++;
            *to++ = *p;
            continue;
        }
        in_string ^= *p == '"';
        *to++ = *p;
    }
    *to++ = '\n';
    *to = '\0';
    return text;
}

static lk_json *begin_json(lockstep_watch_kind kind, int64_t at_ns)
{
    lk_json *root = lk_json_object(NULL, NULL);

    lk_json_add_text(root, "schema", "lockstep.watch/1");
    lk_json_add_text(root, "event", NAMES[kind]);
    lk_json_add_time(root, "at", at_ns);
    return root;
}

static lk_code end_json(lk_json *root, lk_arena *arena, const char **out, lk_err *e)
{
    lk_code code;
    char *text;
    lk_buf buf;

    lk_buf_init(&buf);
    code = lk_json_print(root, &buf, e);
    lk_json_free(root);
    /* one byte more than its text: the newline that ends it stays */
    text = code == LK_OK ? lk_arena_printf(arena, "%s ", buf.p) : NULL;
    lk_buf_release(&buf);
    if (code != LK_OK)
        return code;
    if (!text)
        return no_memory(e);
    *out = on_one_line(text);
    return LK_OK;
}

static void add_alert(lk_json *root, const lk_alert *a, lk_arena *arena)
{
    const char *who = a->population[0] ? lk_text_safe(arena, lk_slice_from(a->population), 1000) : NULL;

    lk_json_add_text(root, "kind", a->kind);
    lk_json_add_real(root, "period_s", a->period_s);
    lk_json_add_real(root, "delay_s", a->delay_s);
    lk_json_add_text(root, "population", who);
    lk_json_add_count_or_null(root, "callers", a->callers);
    lk_json_add_time(root, "since", a->since_ns);
    lk_json_add_time(root, "last_wave", a->last_wave_ns);
    lk_json_add_count(root, "waves", a->waves);
}

static void add_outlook(lk_json *root, const lk_alert_outlook *o)
{
    lk_json_add_count_or_null(root, "waves_left", o->waves_left);
    lk_json_add_time(root, "over_at", o->over_ns);
}

/* "clock" as in the report, its last waves only. */
static lk_code add_clock(lk_json *root, const lk_report_clock *c, lk_arena *arena, lk_err *e)
{
    lk_report *r = LK_NEW(arena, lk_report, 1);
    lk_report_clock *one = LK_NEW(arena, lk_report_clock, 1);
    lk_json_part part = { r, arena, false };

    if (!r || !one)
        return no_memory(e);
    lk_report_init(r);
    *one = *c;
    one->phase_count = 0;
    if (one->wave_count > WAVES_TOLD) {
        one->wave_list += one->wave_count - WAVES_TOLD;
        one->wave_count = WAVES_TOLD;
    }
    r->clocks = one;
    r->clock_count = 1;
    lk_json_part_clocks(&part, root);
    return part.failed ? no_memory(e) : LK_OK;
}

/* ---- environment variables ---- */

typedef struct variables {
    const char **list;
    size_t count;
    lk_arena *arena;
} variables;

static void add_variable(variables *v, const char *name, const char *value)
{
    char *text = v->list ? lk_arena_printf(v->arena, "LOCKSTEP_%s=%s", name, value ? value : "") : NULL;

    if (text && v->count + 1 < VARIABLES)
        v->list[v->count++] = text;
}

static void add_instant(variables *v, const char *name, int64_t at_ns)
{
    char text[40] = "";

    if (at_ns != LK_TIME_NONE)
        lk_time_format(at_ns, text);
    add_variable(v, name, text);
}

static void add_seconds(variables *v, const char *name, double seconds)
{
    char text[40] = "";

    if (!isnan(seconds))
        (void)snprintf(text, sizeof(text), "%.6g", seconds);
    add_variable(v, name, text);
}

static const char *const *variables_of(const lk_alert *a, const lockstep_watch_event *ev,
                                       const lk_alert_outlook *o, lk_arena *arena)
{
    variables v = { LK_NEW(arena, const char *, VARIABLES), 0, arena };
    char count[24];

    (void)snprintf(count, sizeof(count), "%" PRId64, a->waves);
    add_variable(&v, "EVENT", ev->name);
    add_variable(&v, "KIND", a->kind);
    add_seconds(&v, "PERIOD_S", a->period_s);
    add_seconds(&v, "DELAY_S", a->delay_s);
    add_variable(&v, "POPULATION",
                 a->population[0] ? lk_text_safe(arena, lk_slice_from(a->population), 200) : "");
    add_instant(&v, "SINCE", a->since_ns);
    add_instant(&v, "LAST_WAVE", a->last_wave_ns);
    add_variable(&v, "WAVES", count);
    add_instant(&v, "OVER_AT", o ? o->over_ns : LK_TIME_NONE);
    return v.list ? v.list : NO_VARIABLES;
}

/* ---- words ---- */

static const char *who_of(const lk_alert *a, lk_arena *arena)
{
    const char *agent =
        a->population[0] ? lk_text_safe(arena, lk_slice_from(a->population), WHO_COLUMNS) : NULL;
    char callers[80] = "callers";

    if (a->callers > 0)
        (void)snprintf(callers, sizeof(callers), "%s", lk_word_counted(a->callers, "caller").text);
    return agent ? lk_arena_printf(arena, "%s, user agent %s", callers, agent)
                 : lk_arena_printf(arena, "%s", callers);
}

static void say_candidates(lk_buf *b, const lk_report_clock *c, lk_arena *arena)
{
    for (size_t i = 0; i < c->candidate_count && i < CANDIDATES_TOLD; i++) {
        const char *what = lk_text_safe(arena, lk_slice_from(c->candidates[i].what), 56);

        lk_buf_printf(b, "    %s %s: %s\n", i ? "         " : "may be   ",
                      lk_word_setting(c->candidates[i].constant_s).text, what ? what : "");
    }
}

static void say_outlook(lk_buf *b, const lk_alert *a, const lk_alert_outlook *o)
{
    if (o->waves_left == LK_COUNT_NONE && a->waves < LK_ALERT_WAVES)
        lk_buf_text(b, "    over      too early to say: too few waves\n");
    else if (o->waves_left == LK_COUNT_NONE)
        lk_buf_text(b, "    over      not in sight: its waves do not shrink\n");
    else if (o->waves_left == 0)
        lk_buf_text(b, "    over      its last wave was small already\n");
    else
        lk_buf_printf(b, "    over      about %s, after %s\n", lk_word_time(o->over_ns).text,
                      lk_word_counted(o->waves_left, "more wave").text);
}

static void say_clock(lk_buf *b, const lk_alert *a, const lk_report_clock *c,
                      const lk_alert_outlook *o, lk_arena *arena)
{
    bool is_retry = strcmp(a->kind, "retry") == 0;

    lk_buf_printf(b, "%s  %s: every %s", lk_word_instant(a->told_ns).text,
                  is_retry ? "RETRY CLOCK" : "CLOCK, cause not shown",
                  lk_word_seconds(a->period_s).text);
    if (!isnan(a->delay_s))
        lk_buf_printf(b, ", by a delay of %s", lk_word_seconds(a->delay_s).text);
    lk_buf_text(b, "\n");
    lk_buf_printf(b, "    who       %s\n", who_of(a, arena));
    lk_buf_printf(b, "    since     %s: %s so far", lk_word_time(a->since_ns).text,
                  lk_word_counted(a->waves, "wave").text);
    if (a->last_size > 0)
        lk_buf_printf(b, ", the last of %s", lk_word_counted(a->last_size, "request").text);
    lk_buf_text(b, "\n");
    say_candidates(b, c, arena);
    say_outlook(b, a, o);
}

static lk_code take(lk_buf *b, lk_arena *arena, const char **out, lk_err *e)
{
    *out = b->failed || !b->p ? NULL : lk_arena_text(arena, (lk_slice){ b->p, b->len });
    lk_buf_release(b);
    return *out ? LK_OK : no_memory(e);
}

/* ---- events ---- */

static lockstep_watch_event event_of(lockstep_watch_kind kind)
{
    return (lockstep_watch_event){ .kind = kind, .name = NAMES[kind], .variables = NO_VARIABLES };
}

lk_code lk_watch_tell_clock(const lk_alert *alert, const lk_report_clock *c, double fits,
                            lk_arena *arena, lockstep_watch_event *out, lk_err *e)
{
    lk_alert_outlook o = lk_alert_look_out(alert, fits);
    lk_json *root = begin_json(LOCKSTEP_WATCH_CLOCK, alert->told_ns);
    lk_code code;
    lk_buf b;

    *out = event_of(LOCKSTEP_WATCH_CLOCK);
    add_alert(root, alert, arena);
    add_outlook(root, &o);
    code = add_clock(root, c, arena, e);
    if (code != LK_OK) {
        lk_json_free(root);
        return code;
    }
    LK_TRY(end_json(root, arena, &out->json, e));
    lk_buf_init(&b);
    say_clock(&b, alert, c, &o, arena);
    out->variables = variables_of(alert, out, &o, arena);
    return take(&b, arena, &out->text, e);
}

lk_code lk_watch_tell_fade(const lk_alert *alert, lk_arena *arena, lockstep_watch_event *out,
                           lk_err *e)
{
    lk_json *root = begin_json(LOCKSTEP_WATCH_FADE, alert->faded_ns);
    lk_buf b;

    *out = event_of(LOCKSTEP_WATCH_FADE);
    add_alert(root, alert, arena);
    LK_TRY(end_json(root, arena, &out->json, e));
    lk_buf_init(&b);
    lk_buf_printf(&b, "%s  FADED: the clock of every %s\n", lk_word_instant(alert->faded_ns).text,
                  lk_word_seconds(alert->period_s).text);
    lk_buf_printf(&b, "    who       %s\n", who_of(alert, arena));
    lk_buf_printf(&b, "    was on    %s to %s, %s\n", lk_word_time(alert->since_ns).text,
                  lk_word_time(alert->last_wave_ns).text,
                  lk_word_counted(alert->waves, "wave").text);
    out->variables = variables_of(alert, out, NULL, arena);
    return take(&b, arena, &out->text, e);
}

static void say_on(lk_buf *b, const lk_watch_state *s)
{
    size_t said = 0;

    for (size_t i = 0; i < s->alerts->count; i++) {
        const lk_alert *a = &s->alerts->list[i];

        if (!a->is_on)
            continue;
        lk_buf_printf(b, "%s%s of %s, %s", said++ ? "; " : "  ",
                      strcmp(a->kind, "retry") == 0 ? "retry clock" : "clock",
                      lk_word_seconds(a->period_s).text, lk_word_counted(a->waves, "wave").text);
    }
    /* They are news to nobody while a clock is on. */
    for (size_t i = 0; i < s->schedule_count && !lk_alerts_on(s->alerts); i++)
        lk_buf_printf(b, "%s%s", said++ ? ", " : "  schedules of ",
                      lk_word_seconds(s->schedules[i]).text);
    if (!said)
        lk_buf_text(b, "  no clock");
}

static void add_on(lk_json *root, const lk_watch_state *s, lk_arena *arena)
{
    lk_json *on = lk_json_array(root, "clocks"), *schedules = lk_json_array(root, "schedules_s");

    for (size_t i = 0; i < s->alerts->count; i++)
        if (s->alerts->list[i].is_on)
            add_alert(lk_json_part_item(on), &s->alerts->list[i], arena);
    for (size_t i = 0; i < s->schedule_count; i++)
        lk_json_add_real(schedules, NULL, s->schedules[i]);
}

lk_code lk_watch_tell_minute(const lk_watch_minute *m, const lk_watch_state *state, lk_arena *arena,
                             lockstep_watch_event *out, lk_err *e)
{
    lk_json *root = begin_json(LOCKSTEP_WATCH_MINUTE, m->start_ns);
    lk_buf b;

    *out = event_of(LOCKSTEP_WATCH_MINUTE);
    lk_json_add_count(root, "lines", (int64_t)m->lines);
    lk_json_add_count(root, "attempts", (int64_t)m->attempts);
    lk_json_add_count(root, "rejected", (int64_t)m->rejected);
    lk_json_add_count(root, "failed", (int64_t)m->failed);
    lk_json_add_count(root, "unread", (int64_t)m->unread);
    add_on(root, state, arena);
    LK_TRY(end_json(root, arena, &out->json, e));
    lk_buf_init(&b);
    lk_buf_printf(&b, "%.16s  %7s requests  %7s refused", lk_word_instant(m->start_ns).text,
                  lk_word_count((int64_t)m->attempts).text,
                  lk_word_part((int64_t)m->rejected, (int64_t)m->attempts).text);
    if (m->unread)
        lk_buf_printf(&b, "  %s", lk_word_counted((int64_t)m->unread, "line").text);
    if (m->unread)
        lk_buf_text(&b, " not read");
    say_on(&b, state);
    lk_buf_text(&b, "\n");
    return take(&b, arena, &out->text, e);
}

lk_code lk_watch_tell(lockstep_watch_kind kind, int64_t at_ns, const char *sentence,
                      const lockstep_watch_counts *counts, lk_arena *arena, lockstep_watch_event *out,
                      lk_err *e)
{
    lk_json *root = begin_json(kind, at_ns);
    const char *safe = lk_text_safe(arena, lk_slice_from(sentence), 600);

    *out = event_of(kind);
    lk_json_add_text(root, "message", safe);
    lk_json_add_count(root, "lines", (int64_t)counts->lines);
    lk_json_add_count(root, "attempts", (int64_t)counts->attempts);
    lk_json_add_count(root, "rejected", (int64_t)counts->rejected);
    lk_json_add_count(root, "unread", (int64_t)counts->unread);
    lk_json_add_count(root, "late", (int64_t)counts->late);
    lk_json_add_count(root, "alerts", (int64_t)counts->alerts);
    LK_TRY(end_json(root, arena, &out->json, e));
    out->text = at_ns == LK_TIME_NONE
                    ? lk_arena_printf(arena, "%s\n", safe ? safe : "")
                    : lk_arena_printf(arena, "%s  %s\n", lk_word_instant(at_ns).text, safe ? safe : "");
    return out->text ? LK_OK : no_memory(e);
}
