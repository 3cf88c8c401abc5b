#include "lockstep/simulate.h"

#include "api/simulation.h"
#include "api/tell.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A tenth of the study's runs, or thereabouts. */
#define QUICK 0.1

/* ---- what there is ---- */

const char *lockstep_model_name(size_t i)
{
    return i < LK_MODEL_COUNT ? LK_MODELS[i]->name : NULL;
}

const char *lockstep_model_help(size_t i)
{
    return i < LK_MODEL_COUNT ? LK_MODELS[i]->help : NULL;
}

const char *lockstep_model_option(const char *model, size_t i, const char **value, const char **help)
{
    const lk_model *m = lk_model_find(model);

    for (size_t j = 0; m && m->settings[j].kind != LK_SETTING_END; j++)
        if (j == i) {
            *value = m->settings[j].value;
            *help = m->settings[j].help;
            return m->settings[j].name;
        }
    return NULL;
}

static size_t study_count(void)
{
    size_t count = 0;

    while (LK_STUDIES[count].name)
        count++;
    return count;
}

const char *lockstep_study_name(size_t i)
{
    return i < study_count() ? LK_STUDIES[i].name : NULL;
}

const char *lockstep_study_title(size_t i)
{
    return i < study_count() ? LK_STUDIES[i].title : NULL;
}

/* ---- a simulation ---- */

static lk_code new_simulation(lockstep_simulation **out, lk_err *e)
{
    lockstep_simulation *s = calloc(1, sizeof(*s));

    if (!s)
        return lk_fail(e, LK_EOOM, "no memory for a simulation");
    lk_arena_init(&s->arena, 0);
    lk_tables_init(&s->tables, &s->arena);
    *out = s;
    return LK_OK;
}

static lk_code find_model(const char *name, const lk_model **out, lk_err *e)
{
    *out = lk_model_find(name);
    return *out ? LK_OK
                : lk_fail(e, LK_EUSAGE, "no model '%s'; 'lockstep help simulate' lists them", name);
}

static lk_code new_model(const char *name, lockstep_simulation **out, lk_err *e)
{
    const lk_model *m;

    LK_TRY(find_model(name, &m, e));
    LK_TRY(new_simulation(out, e));
    (*out)->model = m;
    (*out)->settings = calloc(1, m->size);
    if (!(*out)->settings) {
        lockstep_simulation_free(*out);
        *out = NULL;
        return lk_fail(e, LK_EOOM, "no memory for the settings of %s", name);
    }
    m->init((*out)->settings);
    return LK_OK;
}

int lockstep_simulation_new(const char *model, lockstep_simulation **out, lockstep_error *error)
{
    lk_err e = { 0 };

    *out = NULL;
    return new_model(model, out, &e) == LK_OK ? 0 : lk_tell(&e, error);
}

static lk_code new_study(const char *name, lockstep_simulation **out, lk_err *e)
{
    const lk_study *found[LK_STUDIES_MAX];
    size_t count = 0;

    for (const lk_study *s = LK_STUDIES; s->name; s++)
        if (strcmp(name, "all") == 0 || strcmp(name, s->name) == 0)
            found[count++] = s;
    if (!count)
        return lk_fail(e, LK_EUSAGE, "no study '%s': S1, S2, S3, S4, S5 or all", name);
    LK_TRY(new_simulation(out, e));
    memcpy((*out)->studies, found, count * sizeof(found[0]));
    (*out)->study_count = count;
    return LK_OK;
}

int lockstep_study_new(const char *study, lockstep_simulation **out, lockstep_error *error)
{
    lk_err e = { 0 };

    *out = NULL;
    return new_study(study, out, &e) == LK_OK ? 0 : lk_tell(&e, error);
}

void lockstep_simulation_free(lockstep_simulation *s)
{
    if (!s)
        return;
    lk_arena_release(&s->arena);
    free(s->settings);
    free(s);
}

int lockstep_simulation_set(lockstep_simulation *s, const char *option, const char *value,
                            lockstep_error *error)
{
    lk_err e = { 0 };
    lk_code code = s->model ? lk_model_set(s->model, s->settings, option, value, &e)
                            : lk_fail(&e, LK_EUSAGE, "a study has no option '%s'", option);

    return code == LK_OK ? 0 : lk_tell(&e, error);
}

static lk_policies *policies_of(const lockstep_simulation *s)
{
    for (const lk_setting *x = s->model ? s->model->settings : NULL; x && x->kind; x++)
        if (x->kind == LK_SETTING_POLICIES)
            return (lk_policies *)(void *)((char *)s->settings + x->offset);
    return NULL;
}

static lk_code add_policy(lockstep_simulation *s, const char *name, lockstep_delay *delay,
                          void *context, unsigned attempts, lk_err *e)
{
    lk_policies *p = policies_of(s);

    if (!p)
        return lk_fail(e, LK_EUSAGE, "a study has its own policies");
    if (p->count == LK_POLICIES_MAX)
        return lk_fail(e, LK_EUSAGE, "more than %d policies", LK_POLICIES_MAX);
    (void)snprintf(p->items[p->count].text, sizeof(p->items[0].text), "%s", name);
    lk_sampler_init_callback(&p->items[p->count].sampler, delay, context);
    p->items[p->count].sampler.params.base_s = p->defaults.base_s;
    p->items[p->count].sampler.params.attempts = attempts;
    p->count++;
    return LK_OK;
}

int lockstep_simulation_add_policy(lockstep_simulation *s, const char *name, lockstep_delay *delay,
                                   void *context, unsigned attempts, lockstep_error *error)
{
    lk_err e = { 0 };

    return add_policy(s, name, delay, context, attempts, &e) == LK_OK ? 0
                                                                      : lk_tell(&e, error);
}

/* ---- running ---- */

static unsigned processors(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);

    return count < 1 ? 1 : count > LK_LAB_THREADS ? LK_LAB_THREADS : (unsigned)count;
}

/* Studies take unlike times: the second is most of it. */
static lk_code run_studies(lockstep_simulation *s, lk_lab *lab, lk_err *e)
{
    for (size_t i = 0; i < s->study_count; i++) {
        s->figures[i].count = 0;
        lab->done = (double)i / (double)s->study_count;
        lab->step = 1 / (double)s->study_count;
        LK_TRY(s->studies[i]->run(lab, &s->figures[i], e));
    }
    return LK_OK;
}

static lk_code run(lockstep_simulation *s, const lockstep_runs *r, lk_err *e)
{
    lk_lab lab = LK_LAB_INIT;

    lab.seed = r->seed;
    lab.threads = r->threads ? r->threads : processors();
    lab.scale = r->quick ? QUICK : 1;
    lab.progress = r->progress;
    lab.context = r->context;
    s->seed = r->seed;
    if (!s->model)
        return run_studies(s, &lab, e);
    s->runs = r->runs ? r->runs : s->model->runs;
    lk_tables_init(&s->tables, &s->arena);
    LK_TRY(s->model->run(&lab, s->runs, s->settings, &s->tables, e));
    return s->tables.failed ? lk_fail(e, LK_EOOM, "no memory for the tables") : LK_OK;
}

int lockstep_simulation_run(lockstep_simulation *s, const lockstep_runs *runs, lockstep_error *error)
{
    lk_err e = { 0 };

    if (run(s, runs, &e) != LK_OK)
        return lk_tell(&e, error);
    s->ran = true;
    return 0;
}

/* ---- results ---- */

static lk_code show(const lockstep_simulation *s, const char *format, const lockstep_style *style,
                    lk_buf *out, lk_err *e)
{
    const lk_show_style look = { style->width ? style->width : 80, style->ascii };
    const char *names[LK_POLICIES_MAX];
    const lk_policies *p = policies_of(s);
    lk_show_head head;
    const lk_show *how;

    LK_TRY(lk_show_find(format, &how, e));
    if (!s->ran)
        return lk_fail(e, LK_EUSAGE, "the simulation has not run");
    if (!s->model)
        return how->figures(s->studies, s->figures, s->study_count, &look, out, e);
    assert(p); /* a model that has run has policies */
    for (size_t i = 0; i < p->count; i++)
        names[i] = p->items[i].text;
    head = (lk_show_head){ s->model->name, s->seed, s->runs, names, p->count };
    return how->tables(&head, &s->tables, &look, out, e);
}

int lockstep_simulation_render(const lockstep_simulation *s, const char *format,
                               const lockstep_style *style, char **text, size_t *len,
                               lockstep_error *error)
{
    lk_err e = { 0 };
    lk_buf out;
    lk_code code;

    lk_buf_init(&out);
    code = show(s, format, style, &out, &e);
    if (code == LK_OK && (out.failed || !out.p))
        code = lk_fail(&e, LK_EOOM, "no memory for what is to be shown");
    if (code != LK_OK) {
        lk_buf_release(&out);
        return lk_tell(&e, error);
    }
    *text = out.p; /* freed by lockstep_text_free */
    *len = out.len;
    return 0;
}

static const lk_table *find_table(const lockstep_simulation *s, const char *name)
{
    for (size_t i = 0; i < s->tables.count; i++)
        if (strcmp(s->tables.items[i].name, name) == 0)
            return &s->tables.items[i];
    return NULL;
}

bool lockstep_simulation_value(const lockstep_simulation *s, const char *table, size_t row,
                               const char *column, double *value, double *error_of)
{
    const lk_table *t = find_table(s, table);

    for (size_t c = 0; t && row < t->row_count && c < t->column_count; c++) {
        const lk_cell *cell = &t->cells[row * t->column_count + c];

        if (strcmp(t->columns[c].name, column) != 0 || cell->text)
            continue;
        *value = cell->value;
        *error_of = cell->error;
        return true;
    }
    return false;
}
