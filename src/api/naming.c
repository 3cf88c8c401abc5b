#include "api/naming.h"

#include <string.h>

/* clang-format off */
static const char *const OPTIONS[LK_NAMINGS] = {
    [LK_NAMING_CALL] = "call-id", [LK_NAMING_TASK] = "task-id", [LK_NAMING_ATTEMPT] = "attempt-no",
};
static const char *const TAKEN[] = { "sdk", "proxy", "job" };
/* clang-format on */

static lk_code ask(lk_naming *n, const char *option, const char *field, const lk_custom *custom,
                   uint8_t *number, lk_err *e)
{
    if (custom && !lk_custom_names(custom, field))
        return lk_fail(e, LK_EUSAGE, "--%s: the log format has no field '%.80s'", option, field);
    return lk_named_add(&n->asked, field, number, e);
}

static bool is_taken(const char *name)
{
    for (size_t i = 0; i < sizeof(TAKEN) / sizeof(TAKEN[0]); i++)
        if (strcmp(name, TAKEN[i]) == 0)
            return true;
    return false;
}

static lk_code add_layer(lk_naming *n, const char *text, const lk_custom *custom, lk_arena *arena,
                         lk_err *e)
{
    const char *equals = strchr(text, '=');
    size_t i = n->layer_count;

    if (!equals || equals == text || !equals[1])
        return lk_fail(e, LK_EUSAGE, "--layer: '%.80s' is not NAME=FIELD", text);
    if (i == LK_NAMED_LAYERS_MAX)
        return lk_fail(e, LK_EUSAGE, "--layer: at most %d layers can be named",
                       (int)LK_NAMED_LAYERS_MAX);
    n->layer[i] = lk_arena_text(arena, (lk_slice){ text, (size_t)(equals - text) });
    if (!n->layer[i])
        return lk_fail(e, LK_EOOM, "no memory for '%.80s'", text);
    if (is_taken(n->layer[i]))
        return lk_fail(e, LK_EUSAGE, "--layer: '%s' is a layer that lockstep names itself: take "
                                     "another name", n->layer[i]);
    n->layer_field[i] = equals + 1;
    n->layer_count++;
    return ask(n, "layer", equals + 1, custom, &n->layer_number[i], e);
}

lk_code lk_naming_init(lk_naming *n, const lockstep_options *options, const lk_custom *custom,
                       lk_arena *arena, lk_err *e)
{
    *n = (lk_naming){ .field = { options->call_id, options->task_id, options->attempt_no } };
    for (size_t i = 0; i < LK_NAMINGS; i++)
        if (n->field[i])
            LK_TRY(ask(n, OPTIONS[i], n->field[i], custom, &n->number[i], e));
    for (size_t i = 0; i < options->layer_count; i++)
        LK_TRY(add_layer(n, options->layers[i], custom, arena, e));
    return LK_OK;
}
