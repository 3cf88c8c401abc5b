/* sim/model — a simulator as a row: its name, its settings and what it runs.
 *
 * Owner:  const rows; a model's settings are a struct of `size` bytes that init fills and `set`
 *         changes by name.
 * Errors: EUSAGE: no such setting, or a value that it does not take.  */
#ifndef LK_SIM_MODEL_H
#define LK_SIM_MODEL_H

#include "model/policy.h"
#include "sim/lab.h"
#include "sim/sampler.h"
#include "sim/saturation.h"
#include "sim/table.h"

enum { LK_POLICIES_MAX = 8 };

/* The policies that a run compares. */
typedef struct lk_policies {
    size_t count;
    lk_policy_params defaults; /* of what the text leaves out */
    struct {
        char text[LK_POLICY_TEXT_MAX];
        lk_sampler sampler;
    } items[LK_POLICIES_MAX];
} lk_policies;

typedef enum lk_setting_kind {
    LK_SETTING_END = 0,
    LK_SETTING_COUNT,   /* unsigned                                      */
    LK_SETTING_NUMBER,  /* double, not negative                          */
    LK_SETTING_SECONDS, /* double; "200ms", "5m", "none" is INFINITY      */
    LK_SETTING_RATE,    /* double, a second; "4000/min"                  */
    LK_SETTING_SHARE,   /* double, 0 to 1; "10%"                         */
    LK_SETTING_FLAG,    /* bool; takes no value                          */
    LK_SETTING_CHOICE,  /* unsigned: index into `choices`                */
    LK_SETTING_POLICIES /* lk_policies                                   */
} lk_setting_kind;

typedef struct lk_setting {
    const char *name;
    lk_setting_kind kind;
    size_t offset;
    const char *value; /* what --help calls it; NULL of a flag */
    const char *help;
    const char *const *choices; /* ends with NULL */
} lk_setting;

typedef struct lk_model {
    const char *name, *help;
    const lk_setting *settings;
    size_t size;
    unsigned runs; /* by default */
    void (*init)(void *settings);
    lk_code (*run)(lk_lab *lab, unsigned runs, const void *settings, lk_tables *out, lk_err *e);
    /* One run of the first policy, told as it goes; NULL: the model has no server whose log could be
     * written. */
    lk_code (*watch)(const void *settings, uint64_t seed, const lk_sat_observer *observer, lk_err *e);
} lk_model;

extern const lk_model *const LK_MODELS[]; /* ends with NULL */

const lk_model *lk_model_find(const char *name);
LK_MUST_CHECK lk_code lk_model_set(const lk_model *m, void *settings, const char *name,
                                   const char *value, lk_err *e);

/* "a;b c": policies separated by ';' or spaces, each as lk_policy_parse takes it. */
LK_MUST_CHECK lk_code lk_policies_parse(lk_policies *p, const char *text, lk_err *e);
/* For texts of this program: they are right. */
void lk_policies_init(lk_policies *p, lk_policy_params defaults, const char *text);

extern const lk_model LK_MODEL_CONTENTION;  /* model_contention.c */
extern const lk_model LK_MODEL_OUTAGE;      /* model_outage.c     */
extern const lk_model LK_MODEL_SATURATION;  /* model_saturation.c */
extern const lk_model LK_MODEL_FLEET;       /* model_fleet.c      */
extern const lk_model LK_MODEL_RECOVERY;    /* model_recovery.c   */
extern const lk_model LK_MODEL_OCC_NETWORK; /* model_occ.c        */

#endif
