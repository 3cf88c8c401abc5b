#include "api/attempt_line.h"

#include "base/text.h"
#include "base/time.h"
#include "model/attempt.h"
#include "report/csv.h"

#include <inttypes.h>
#include <math.h>

/* One value of a line, whatever its kind. */
typedef enum cell_kind {
    CELL_TIME,
    CELL_TEXT, /* from the log */
    CELL_WORD,
    CELL_COUNT,
    CELL_REAL,
    CELL_FLAG,
    CELL_NAME
} cell_kind;

typedef struct cell {
    const char *key;
    cell_kind kind;
    const char *text; /* NULL or "" = not known */
    double real;      /* NAN = not known        */
    int64_t time_ns;
    uint64_t number;  /* UNKNOWN                */
    bool flag;
} cell;

enum { CELLS = 17 };
static const uint64_t UNKNOWN = UINT64_MAX;

static const char *word(const char *text)
{
    return text ? text : "";
}

static void cells_of(const lk_attempt_line *l, cell c[CELLS])
{
    const cell all[CELLS] = {
        { .key = "start", .kind = CELL_TIME, .time_ns = l->start_ns },
        { .key = "caller", .kind = CELL_TEXT, .text = l->texts[LK_DETAIL_CALLER] },
        { .key = "user_agent", .kind = CELL_TEXT, .text = l->texts[LK_DETAIL_AGENT] },
        { .key = "method", .kind = CELL_TEXT, .text = l->texts[LK_DETAIL_METHOD] },
        { .key = "host", .kind = CELL_TEXT, .text = l->texts[LK_DETAIL_HOST] },
        { .key = "target", .kind = CELL_TEXT, .text = l->texts[LK_DETAIL_TARGET] },
        { .key = "status", .kind = CELL_COUNT, .number = l->status == LK_STATUS_UNKNOWN ? UNKNOWN : l->status },
        { .key = "failed", .kind = CELL_FLAG, .flag = l->failed },
        { .key = "rejected", .kind = CELL_FLAG, .flag = l->rejected },
        { .key = "duration_s", .kind = CELL_REAL, .real = l->duration_s },
        { .key = "retry_after_s", .kind = CELL_REAL, .real = l->retry_after_s },
        { .key = "task", .kind = CELL_NAME, .number = l->task ? l->task : UNKNOWN },
        { .key = "call", .kind = CELL_NAME, .number = l->call ? l->call : UNKNOWN },
        { .key = "attempt", .kind = CELL_COUNT, .number = l->attempt ? l->attempt : UNKNOWN },
        { .key = "layer", .kind = CELL_WORD, .text = word(l->layer) },
        { .key = "comeback_s", .kind = CELL_REAL, .real = l->comeback_s },
        { .key = "outcome", .kind = CELL_WORD, .text = word(l->outcome) },
    };

    for (size_t i = 0; i < CELLS; i++)
        c[i] = all[i];
}

/* ---- JSON ---- */

static bool is_plain(const char *text)
{
    for (; *text; text++)
        if (*text < ' ' || *text > '~' || *text == '"' || *text == '\\')
            return false;
    return true;
}

/* Safe text holds no control characters. */
static void json_text(const char *raw, lk_arena *scratch, lk_buf *out)
{
    const char *text = is_plain(raw) ? raw : lk_text_safe(scratch, lk_slice_from(raw), SIZE_MAX);

    if (!text) {
        out->failed = true;
        return;
    }
    lk_buf_text(out, "\"");
    if (text == raw)
        lk_buf_text(out, text);
    else
        for (; *text; text++) {
            if (*text == '"' || *text == '\\')
                lk_buf_text(out, "\\");
            lk_buf_add(out, text, 1);
        }
    lk_buf_text(out, "\"");
}

static bool is_known(const cell *c)
{
    switch (c->kind) {
    case CELL_TIME: return c->time_ns != LK_TIME_NONE;
    case CELL_TEXT:
    case CELL_WORD: return c->text[0] != '\0';
    case CELL_COUNT:
    case CELL_NAME: return c->number != UNKNOWN;
    case CELL_REAL: return isfinite(c->real);
    case CELL_FLAG: return true;
    }
    return false;
}

/* What reads alike in both formats; quotes of JSON around what is no number. */
static void bare(const cell *c, const char *quote, lk_buf *out)
{
    char room[64];

    switch (c->kind) {
    case CELL_TIME:
        lk_time_format(c->time_ns, room);
        lk_buf_printf(out, "%s%s%s", quote, room, quote);
        break;
    case CELL_WORD: lk_buf_printf(out, "%s%s%s", quote, c->text, quote); break;
    case CELL_COUNT: lk_buf_printf(out, "%" PRIu64, c->number); break;
    case CELL_REAL: lk_buf_printf(out, "%.9g", c->real == 0.0 ? 0.0 : c->real); break;
    case CELL_FLAG: lk_buf_text(out, c->flag ? "true" : "false"); break;
    case CELL_NAME: lk_buf_printf(out, "%s%016" PRIx64 "%s", quote, c->number, quote); break;
    case CELL_TEXT: break;
    }
}

static void json_line(const lk_attempt_line *line, lk_arena *scratch, lk_buf *out)
{
    cell c[CELLS];

    cells_of(line, c);
    for (size_t i = 0; i < CELLS; i++) {
        lk_buf_printf(out, "%s\"%s\":", i ? "," : "{", c[i].key);
        if (!is_known(&c[i]))
            lk_buf_text(out, "null");
        else if (c[i].kind == CELL_TEXT)
            json_text(c[i].text, scratch, out);
        else
            bare(&c[i], "\"", out);
    }
    lk_buf_text(out, "}\n");
}

/* ---- CSV ---- */

static void csv_head(lk_buf *out)
{
    const lk_attempt_line none = { .texts = { "", "", "", "", "" } };
    cell c[CELLS];

    cells_of(&none, c);
    for (size_t i = 0; i < CELLS; i++)
        lk_buf_printf(out, "%s%s", i ? "," : "", c[i].key);
    lk_buf_text(out, "\r\n");
}

static void csv_line(const lk_attempt_line *line, lk_arena *scratch, lk_buf *out)
{
    cell c[CELLS];

    cells_of(line, c);
    for (size_t i = 0; i < CELLS; i++) {
        if (i)
            lk_buf_text(out, ",");
        if (c[i].kind == CELL_TEXT)
            lk_csv_text(out, scratch, c[i].text);
        else if (is_known(&c[i]))
            bare(&c[i], "", out);
    }
    lk_buf_text(out, "\r\n");
}

const lk_attempt_format LK_ATTEMPT_FORMATS[] = {
    { "jsonl", NULL, json_line },
    { "csv", csv_head, csv_line },
    { NULL, NULL, NULL },
};
