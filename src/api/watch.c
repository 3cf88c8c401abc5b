#include "lockstep/watch.h"

#include "api/alerts.h"
#include "api/logfile.h"
#include "api/reading.h"
#include "api/tell.h"
#include "api/watch_events.h"
#include "api/window.h"
#include "base/buf.h"
#include "base/quantity.h"
#include "base/random.h"
#include "base/clock.h"
#include "base/time.h"
#include "input/follow.h"
#include "report/words.h"

#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALPHA 1e-5 /* of a look; there are many in a day */

enum {
    SOURCES_MAX = 256,
    START_LINES = 256,        /* that are looked at before the first is read */
    START_BYTES = 256 << 10,
    SNIFF_LINES = 20000,      /* that tell how lines are read */
    STEP_LINES = 4096,
    MINUTES = 4,              /* that late lines may still belong to */
    AHEAD_LINES = 8           /* in a row that must agree on a leap forward */
};

static const uint64_t TAIL = 16 << 20;
static const int64_t WINDOW_NS = 1800 * LK_NS_PER_S;
static const int64_t MINUTE_NS = 60 * LK_NS_PER_S;
static const int64_t GRACE_NS = 5 * LK_NS_PER_S;  /* for lines that come late in a minute */
static const int64_t IDLE_NS = 10 * LK_NS_PER_S;  /* from then on the machine's clock goes on */
static const int64_t QUIET_NS = 60 * LK_NS_PER_S; /* until it is said that nothing comes      */
static const int64_t QUIET_AGAIN_NS = 600 * LK_NS_PER_S;
static const int64_t LEAP_NS = 600 * LK_NS_PER_S;
static const int64_t REFRESH_NS = 60 * LK_NS_PER_S;

/* One input. */
typedef struct source {
    lk_follow *follow;
    lk_logfile file;
    lk_sniffer sniffer;
    lk_unwrap unwrap;
    lk_parse_cache cache;
    uint64_t sniffed, decide_at;
    lk_buf start; /* the first lines, until it is known how they are read */
    uint64_t start_lines;
    bool is_settled, is_over, was_missing;
    lk_follow_stats told;
} source;

struct lockstep_watch {
    lockstep_watch_options options;
    lk_arena arena; /* as long as the watch */
    lk_reading reading;
    lk_symbols symbols;
    lk_window window;
    lk_alerts alerts;
    lk_watch_state state;
    source *sources[SOURCES_MAX];
    size_t source_count;
    lk_watch_minute minutes[MINUTES];
    int64_t minute; /* number of the earliest that is not told of */
    int64_t idle_since_ns, quiet_told_ns;
    /* Lines that leap forward wait until it is known whether the log's time does. */
    lk_attempt ahead[AHEAD_LINES];
    size_t ahead_count;
    uint64_t outliers;
    double fits_per_s; /* the allowance; NAN = not known */
    lockstep_watch_counts counts;
};

/* ---- events ---- */

static void give(lockstep_watch *w, const lockstep_watch_event *event)
{
    if (w->options.on_event)
        w->options.on_event(w->options.context, event);
}

/* Where the log's time stands: with its newest line, or further on when none comes. */
static int64_t log_now(const lockstep_watch *w)
{
    int64_t idle = lk_clock_monotonic_ns() - w->idle_since_ns;

    if (w->window.newest_ns == LK_TIME_NONE)
        return LK_TIME_NONE;
    return w->window.newest_ns + (idle > IDLE_NS ? idle : 0);
}

static lk_code say(lockstep_watch *w, lockstep_watch_kind kind, int64_t at_ns, const char *sentence,
                   lk_err *e)
{
    lockstep_watch_event event;
    lk_arena arena;
    lk_code code;

    lk_arena_init(&arena, 0);
    code = lk_watch_tell(kind, at_ns, sentence, &w->counts, &arena, &event, e);
    if (code == LK_OK)
        give(w, &event);
    return lk_arena_close(&arena, code, e);
}

static lk_code say_fades(lockstep_watch *w, int64_t now_ns, lk_err *e)
{
    lockstep_watch_event event;
    lk_code code = LK_OK;
    lk_arena arena;
    lk_alert *alert;

    if (now_ns == LK_TIME_NONE)
        return LK_OK;
    while (code == LK_OK && (alert = lk_alerts_fade(&w->alerts, now_ns))) {
        lk_arena_init(&arena, 0);
        code = lk_watch_tell_fade(alert, &arena, &event, e);
        if (code == LK_OK)
            give(w, &event);
        code = lk_arena_close(&arena, code, e);
    }
    return code;
}

/* ---- looks ---- */

static lk_code see(lockstep_watch *w, const lk_report *r, lk_arena *arena, lk_err *e)
{
    lockstep_watch_event event;

    w->state.schedule_count = 0;
    for (size_t i = 0; i < r->clock_count; i++) {
        const lk_report_clock *c = &r->clocks[i];
        lk_alert *alert = lk_alerts_see(&w->alerts, c, w->window.newest_ns);

        if (strcmp(c->kind, "scheduled") == 0 && w->state.schedule_count < LK_WATCH_SCHEDULES)
            w->state.schedules[w->state.schedule_count++] = c->period_s;
        if (!alert)
            continue;
        w->counts.alerts++;
        LK_TRY(lk_watch_tell_clock(alert, c, w->fits_per_s * alert->period_s, arena, &event, e));
        give(w, &event);
    }
    return LK_OK;
}

static lk_code look(lockstep_watch *w, lk_err *e)
{
    const lockstep_options *o = &w->options.log;
    lk_clock_search how = { .alpha = o->clock_alpha > 0 ? o->clock_alpha : ALPHA,
                            .period_min_s = o->period_min_s,
                            .period_max_s = o->period_max_s };
    lk_report *r;
    lk_arena arena;
    lk_code code;

    lk_arena_init(&arena, 0);
    r = LK_NEW(&arena, lk_report, 1);
    if (!r) {
        lk_arena_release(&arena);
        return lk_fail(e, LK_EOOM, "no memory to look for clocks");
    }
    lk_report_init(r);
    code = lk_window_look(&w->window, &how, &arena, r, e);
    w->counts.looks = w->window.looks;
    if (code == LK_OK)
        code = see(w, r, &arena, e);
    return lk_arena_close(&arena, code, e);
}

/* While a clock is on, how it fares is looked at once a period, and at most once in ten seconds. */
static bool is_look_due(const lockstep_watch *w)
{
    int64_t pace = lk_alerts_pace(&w->alerts);

    if (lk_window_is_due(&w->window))
        return true;
    if (pace == INT64_MAX || w->window.looked_ns == LK_TIME_NONE)
        return false;
    if (pace < IDLE_NS)
        pace = IDLE_NS;
    return w->window.newest_ns - w->window.looked_ns >= (pace < REFRESH_NS ? pace : REFRESH_NS);
}

static lk_code look_if_due(lockstep_watch *w, lk_err *e)
{
    return w->window.newest_ns != LK_TIME_NONE && is_look_due(w) ? look(w, e) : LK_OK;
}

/* ---- minutes ---- */

static lk_code say_minute(lockstep_watch *w, lk_watch_minute *m, lk_err *e)
{
    lockstep_watch_event event;
    lk_arena arena;
    lk_code code;

    if (!m->lines && !m->attempts)
        return LK_OK;
    lk_arena_init(&arena, 0);
    code = lk_watch_tell_minute(m, &w->state, &arena, &event, e);
    if (code == LK_OK)
        give(w, &event);
    return lk_arena_close(&arena, code, e);
}

static lk_watch_minute *slot(lockstep_watch *w, int64_t minute)
{
    return &w->minutes[(size_t)(minute % MINUTES)];
}

/* Tells of every minute before `minute`; where there is a gap, of those that have lines. */
static lk_code close_minutes(lockstep_watch *w, int64_t minute, lk_err *e)
{
    for (size_t i = 0; i < MINUTES && w->minute < minute; i++, w->minute++) {
        lk_watch_minute *m = slot(w, w->minute);

        LK_TRY(say_minute(w, m, e));
        *m = (lk_watch_minute){ .start_ns = (w->minute + MINUTES) * MINUTE_NS };
    }
    if (w->minute < minute) {
        w->minute = minute;
        for (int64_t i = 0; i < MINUTES; i++)
            *slot(w, minute + i) = (lk_watch_minute){ .start_ns = (minute + i) * MINUTE_NS };
    }
    return LK_OK;
}

static void begin_minutes(lockstep_watch *w, int64_t minute)
{
    w->minute = minute;
    for (int64_t i = 0; i < MINUTES; i++)
        *slot(w, minute + i) = (lk_watch_minute){ .start_ns = (minute + i) * MINUTE_NS };
}

/* The minute of an instant; one that is told of already counts to the next. */
static lk_watch_minute *minute_of(lockstep_watch *w, int64_t at_ns)
{
    int64_t minute = at_ns / MINUTE_NS;

    if (minute < w->minute)
        minute = w->minute;
    if (minute >= w->minute + MINUTES)
        minute = w->minute + MINUTES - 1;
    return slot(w, minute);
}

/* ---- attempts ---- */

static lk_code count(lockstep_watch *w, const lk_attempt *a, lk_err *e)
{
    int64_t minute = a->start_ns / MINUTE_NS;
    lk_watch_minute *m;

    w->counts.attempts++;
    w->counts.rejected += a->rejected;
    lk_window_add(&w->window, a);
    w->counts.late = w->window.late + w->outliers;
    if (w->window.newest_ns == LK_TIME_NONE)
        return LK_OK; /* it was before 1970, and nothing else has come */
    if (w->minute < 0)
        begin_minutes(w, minute);
    if ((w->window.newest_ns - GRACE_NS) / MINUTE_NS > w->minute) {
        LK_TRY(look_if_due(w, e));
        LK_TRY(say_fades(w, w->window.newest_ns, e));
        LK_TRY(close_minutes(w, (w->window.newest_ns - GRACE_NS) / MINUTE_NS, e));
    }
    m = minute_of(w, a->start_ns);
    m->attempts++;
    m->rejected += a->rejected;
    m->failed += a->failed;
    return look_if_due(w, e);
}

/* Lines far ahead of the others may be of a clock that is wrong; several in a row are the log's time,
 * after a night without a line, say. */
static lk_code wait_for_others(lockstep_watch *w, const lk_attempt *a, lk_err *e)
{
    size_t n = w->ahead_count;

    w->ahead[w->ahead_count++] = *a;
    if (w->ahead_count < AHEAD_LINES)
        return LK_OK;
    w->ahead_count = 0;
    for (size_t i = 0; i <= n; i++)
        if (llabs(w->ahead[i].start_ns - a->start_ns) < LEAP_NS)
            LK_TRY(count(w, &w->ahead[i], e));
        else
            w->outliers++;
    return LK_OK;
}

static lk_code take(lockstep_watch *w, const lk_attempt *a, lk_err *e)
{
    if (w->window.newest_ns != LK_TIME_NONE && a->start_ns > w->window.newest_ns + LEAP_NS)
        return wait_for_others(w, a, e);
    w->outliers += w->ahead_count;
    w->ahead_count = 0;
    return count(w, a, e);
}

/* The log has ended, or stopped: what leapt is what there is. */
static lk_code take_ahead(lockstep_watch *w, lk_err *e)
{
    size_t n = w->ahead_count;

    w->ahead_count = 0;
    for (size_t i = 0; i < n; i++)
        LK_TRY(count(w, &w->ahead[i], e));
    return LK_OK;
}

/* ---- lines ---- */

static lk_code read_line(lockstep_watch *w, source *s, const lk_line *line, lk_err *e)
{
    uint64_t rejected = s->file.rejected;
    lk_attempt a;
    lk_step got;

    w->counts.lines++;
    for (got = lk_logfile_feed(&s->file, line, &a, e); got == LK_STEP_ITEM;
         got = lk_logfile_feed(&s->file, NULL, &a, e))
        LK_TRY(take(w, &a, e));
    if (got == LK_STEP_FAIL)
        return e->code;
    if (w->minute >= 0) {
        lk_watch_minute *m = minute_of(w, w->window.newest_ns);

        m->lines++;
        m->unread += s->file.rejected - rejected;
    }
    w->counts.unread += s->file.rejected - rejected;
    return LK_OK;
}

static void sniff(lockstep_watch *w, source *s, const lk_line *line)
{
    lk_reading_sniff(&w->reading, &s->unwrap, &s->cache, line, &s->sniffer);
    s->sniffed++;
}

static void decide(lockstep_watch *w, source *s)
{
    lk_layout layout;

    lk_reading_decide(&w->reading, &s->sniffer, &layout);
    s->file.layout = layout;
    s->decide_at = s->sniffed < 1000 ? 1000 : 5 * s->sniffed;
}

/* The lines that were kept. */
static lk_code settle(lockstep_watch *w, source *s, lk_err *e)
{
    lk_line line = { .number = 0 };
    lk_code code = LK_OK;
    const char *p = s->start.p, *end = p + s->start.len;

    decide(w, s);
    s->file.keeps_ends = s->unwrap.keeps_ends;
    s->file.unwrap->keeps_ends = s->unwrap.keeps_ends;
    s->is_settled = true;
    while (p < end && code == LK_OK) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));

        line = (lk_line){ .text = { p, (size_t)(newline - p) }, .number = line.number + 1 };
        line.raw = line.text;
        code = read_line(w, s, &line, e);
        p = newline + 1;
    }
    lk_buf_release(&s->start);
    lk_buf_init(&s->start);
    return code;
}

static lk_code keep_start(lockstep_watch *w, source *s, const lk_line *line, lk_err *e)
{
    if (line->overlong)
        return read_line(w, s, line, e);
    sniff(w, s, line);
    lk_buf_add(&s->start, line->text.p, line->text.len);
    lk_buf_text(&s->start, "\n");
    if (s->start.failed)
        return lk_fail(e, LK_EOOM, "no memory for the first lines");
    if (++s->start_lines < START_LINES && s->start.len < START_BYTES)
        return LK_OK;
    return settle(w, s, e);
}

static lk_code take_line(lockstep_watch *w, source *s, const lk_line *line, lk_err *e)
{
    if (!s->is_settled)
        return keep_start(w, s, line, e);
    if (s->sniffed < SNIFF_LINES && !line->overlong) {
        sniff(w, s, line);
        if (s->sniffed >= s->decide_at)
            decide(w, s);
    }
    return read_line(w, s, line, e);
}

/* ---- sources ---- */

static lk_code open_source(lockstep_watch *w, const char *path, lk_err *e)
{
    source *s = calloc(1, sizeof(*s));
    uint64_t tail = w->options.from_start ? UINT64_MAX : TAIL;

    if (!s)
        return lk_fail(e, LK_EOOM, "no memory to watch '%s'", path);
    w->sources[w->source_count++] = s;
    lk_buf_init(&s->start);
    lk_sniffer_init(&s->sniffer);
    lk_reading_prepare(&w->reading, &s->sniffer);
    lk_reading_unwrap(&w->reading, lk_clock_wall_ns(), &s->unwrap);
    lk_parse_cache_init(&s->cache);
    LK_TRY(lk_logfile_begin(&s->file, path, &w->symbols, &w->reading, lk_clock_wall_ns(), &w->arena, e));
    return lk_follow_open(path, tail, w->reading.max_line, &s->follow, e);
}

static void close_source(source *s)
{
    lk_follow_close(s->follow);
    if (s->file.unwrap)
        lk_logfile_finish(&s->file);
    lk_unwrap_release(&s->unwrap);
    lk_buf_release(&s->start);
    free(s);
}

static lk_code note_rotation(lockstep_watch *w, source *s, lk_err *e)
{
    const lk_follow_stats *now = lk_follow_stats_of(s->follow);
    const char *what = NULL;
    char text[512];

    if (now->unfound > s->told.unfound)
        what = "was emptied, and no copy of it is there: what was written since the last look is lost";
    else if (now->truncated > s->told.truncated)
        what = "was emptied: read on from its copy, then from its start";
    else if (now->renamed > s->told.renamed)
        what = "was renamed: read on in both";
    else if (lk_follow_is_denied(s->follow) && !s->was_missing)
        what = "may not be opened: waiting until it may";
    else if (lk_follow_is_missing(s->follow) && !s->was_missing)
        what = "is not there: waiting for it";
    s->was_missing = lk_follow_is_missing(s->follow);
    s->told = *now;
    if (!what)
        return LK_OK;
    (void)snprintf(text, sizeof(text), "'%s' %s", s->file.path, what);
    return say(w, LOCKSTEP_WATCH_NOTE, log_now(w), text, e);
}

/* *lines: how many came. */
static lk_code drain(lockstep_watch *w, source *s, size_t *lines, lk_err *e)
{
    lk_line line;
    lk_step got = LK_STEP_END;

    for (size_t n = 0; n < STEP_LINES; n++) {
        got = lk_follow_next(s->follow, &line, e);
        if (got != LK_STEP_ITEM)
            break;
        ++*lines;
        LK_TRY(take_line(w, s, &line, e));
        if (!w->ahead_count)
            LK_TRY(lk_window_tidy(&w->window, e));
    }
    if (got == LK_STEP_FAIL)
        return e->code;
    if (got == LK_STEP_END && !s->is_settled && s->start_lines)
        LK_TRY(settle(w, s, e));
    s->is_over = lk_follow_is_over(s->follow) && got == LK_STEP_END;
    return note_rotation(w, s, e);
}

/* ---- nothing comes ---- */

static void wait_for_more(const lockstep_watch *w, int wait_ms)
{
    struct pollfd fds[SOURCES_MAX];
    nfds_t n = 0;

    for (size_t i = 0; i < w->source_count; i++) {
        int fd = lk_follow_descriptor(w->sources[i]->follow);

        if (fd >= 0 && !w->sources[i]->is_over)
            fds[n++] = (struct pollfd){ .fd = fd, .events = POLLIN };
    }
    /* Files have to be looked at again and again; a signal ends the wait. */
    (void)poll(fds, n, wait_ms);
}

static lk_code say_quiet(lockstep_watch *w, lk_err *e)
{
    int64_t now = lk_clock_monotonic_ns(), idle = now - w->idle_since_ns;
    char text[128];

    if (idle < QUIET_NS || (w->quiet_told_ns && now - w->quiet_told_ns < QUIET_AGAIN_NS))
        return LK_OK;
    w->quiet_told_ns = now;
    (void)snprintf(text, sizeof(text), "no line for %s", lk_word_span((double)idle * 1e-9).text);
    return say(w, LOCKSTEP_WATCH_QUIET, log_now(w), text, e);
}

static lk_code pass_time(lockstep_watch *w, lk_err *e)
{
    int64_t now = log_now(w);

    if (w->ahead_count && lk_clock_monotonic_ns() - w->idle_since_ns > LK_NS_PER_S)
        LK_TRY(take_ahead(w, e));
    LK_TRY(look_if_due(w, e));
    LK_TRY(say_fades(w, now, e));
    if (now != LK_TIME_NONE && w->minute >= 0)
        LK_TRY(close_minutes(w, (now - GRACE_NS) / MINUTE_NS, e));
    return say_quiet(w, e);
}

/* ---- the whole ---- */

static lk_code read_allowance(lockstep_watch *w, lk_err *e)
{
    const lockstep_options *o = &w->options.log;
    double cost = 1;

    w->fits_per_s = (double)NAN;
    if (o->cost && (!lk_quantity_number(lk_slice_from(o->cost), &cost) || cost <= 0))
        return lk_fail(e, LK_EUSAGE, "--cost: '%.40s' is not a number above 0", o->cost);
    if (o->allowance && (!lk_quantity_per_second(lk_slice_from(o->allowance), &w->fits_per_s) ||
                         w->fits_per_s <= 0))
        return lk_fail(e, LK_EUSAGE, "--allowance: '%.40s' is not a rate above 0 such as 4000/min",
                       o->allowance);
    if (o->refill && !lk_quantity_per_second(lk_slice_from(o->refill), &w->fits_per_s))
        return lk_fail(e, LK_EUSAGE, "--refill: '%.40s' is not a rate such as 2000000/min", o->refill);
    if (o->refill)
        w->fits_per_s /= cost;
    return LK_OK;
}

static lk_code open_watch(lockstep_watch *w, lk_err *e)
{
    static const char *const STDIN_ONLY[] = { "-" };
    const lockstep_options *o = &w->options.log;
    const char *const *paths = o->file_count ? o->files : STDIN_ONLY;
    size_t n = o->file_count ? o->file_count : 1;
    int64_t span_ns = w->options.window_s > 0 ? (int64_t)(w->options.window_s * 1e9) : WINDOW_NS;

    if (n > SOURCES_MAX)
        return lk_fail(e, LK_EUSAGE, "more than %d files to watch", SOURCES_MAX);
    if (span_ns < MINUTE_NS || span_ns > 24 * 60 * MINUTE_NS)
        return lk_fail(e, LK_EUSAGE, "a window of %g s is not possible: a minute to a day",
                       (double)span_ns * 1e-9);
    lk_arena_init(&w->arena, 0);
    lk_alerts_init(&w->alerts);
    w->state.alerts = &w->alerts;
    w->minute = -1;
    w->idle_since_ns = lk_clock_monotonic_ns();
    LK_TRY(read_allowance(w, e));
    LK_TRY(lk_reading_init(&w->reading, o, &w->arena, e));
    LK_TRY(lk_symbols_init(&w->symbols, lk_random_process_key(), e));
    LK_TRY(lk_window_init(&w->window, span_ns, &w->symbols, e));
    for (size_t i = 0; i < n; i++)
        LK_TRY(open_source(w, paths[i], e));
    return LK_OK;
}

int lockstep_watch_open(const lockstep_watch_options *options, lockstep_watch **out,
                        lockstep_error *error)
{
    lockstep_watch *w = calloc(1, sizeof(*w));
    lk_err e = { 0 };

    *out = NULL;
    *error = (lockstep_error){ 0 };
    if (!w) {
        (void)lk_fail(&e, LK_EOOM, "no memory to watch");
        return lk_tell(&e, error);
    }
    w->options = *options;
    if (open_watch(w, &e) != LK_OK) {
        lockstep_watch_close(w);
        return lk_tell(&e, error);
    }
    *out = w;
    return 0;
}

void lockstep_watch_close(lockstep_watch *w)
{
    if (!w)
        return;
    for (size_t i = 0; i < w->source_count; i++)
        close_source(w->sources[i]);
    lk_window_release(&w->window);
    lk_symbols_release(&w->symbols);
    lk_arena_release(&w->arena);
    free(w);
}

static lk_code step(lockstep_watch *w, int wait_ms, bool *over, lk_err *e)
{
    size_t lines = 0;

    *over = true;
    for (size_t i = 0; i < w->source_count; i++) {
        if (!w->sources[i]->is_over)
            LK_TRY(drain(w, w->sources[i], &lines, e));
        *over &= w->sources[i]->is_over;
    }
    if (lines) {
        w->idle_since_ns = lk_clock_monotonic_ns();
        w->quiet_told_ns = 0;
        return LK_OK;
    }
    LK_TRY(pass_time(w, e));
    if (!*over)
        wait_for_more(w, wait_ms);
    return LK_OK;
}

int lockstep_watch_step(lockstep_watch *w, int wait_ms, bool *over, lockstep_error *error)
{
    lk_err e = { 0 };

    return step(w, wait_ms, over, &e) == LK_OK ? 0 : lk_tell(&e, error);
}

static lk_code finish(lockstep_watch *w, lk_err *e)
{
    char text[200];

    for (size_t i = 0; i < w->source_count; i++)
        if (!w->sources[i]->is_settled && w->sources[i]->start_lines)
            LK_TRY(settle(w, w->sources[i], e));
    LK_TRY(take_ahead(w, e));
    if (w->window.newest_ns != LK_TIME_NONE)
        LK_TRY(look(w, e));
    LK_TRY(say_fades(w, w->window.newest_ns, e));
    if (w->minute >= 0)
        LK_TRY(close_minutes(w, w->window.newest_ns / MINUTE_NS + 1, e));
    (void)snprintf(text, sizeof(text), "the end: %s, %s, %zu still on",
                   lk_word_counted((int64_t)w->counts.lines, "line").text,
                   lk_word_counted((int64_t)w->counts.alerts, "alert").text, lk_alerts_on(&w->alerts));
    return say(w, LOCKSTEP_WATCH_END, w->window.newest_ns, text, e);
}

int lockstep_watch_finish(lockstep_watch *w, lockstep_error *error)
{
    lk_err e = { 0 };

    return finish(w, &e) == LK_OK ? 0 : lk_tell(&e, error);
}

void lockstep_watch_count(const lockstep_watch *w, lockstep_watch_counts *out)
{
    *out = w->counts;
}
