/* Any words as a command line, for the option rows of each subcommand, and as the values of those
 * options that have a language of their own.  Words end at NUL or at an end of line. */
#include "api/reading.h"
#include "cli/cmd.h"
#include "cli/option.h"
#include "require.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* Those of main.c, which is not linked. */
const lk_opt LK_GLOBAL_OPTS[] = { { .kind = LK_OPT_END } };

enum { WORDS_MAX = 24, VALUES = 1 << 16 };

static int split(char *text, size_t len, char *words[WORDS_MAX + 1])
{
    int n = 0;

    for (size_t i = 0; i < len && n < WORDS_MAX; i += strlen(text + i) + 1)
        words[n++] = text + i;
    words[n] = NULL;
    return n;
}

/* Of a command: it is taken or refused with one line, and whatever is an operand comes last. */
static void parse(const lk_cmd *cmd, char **words, int count)
{
    char name[] = "lockstep", *args[WORDS_MAX + 2] = { name };
    void *values = calloc(1, VALUES);
    lk_err e = { 0 };
    int operands = 0;

    REQUIRE(values);
    memcpy(args + 1, words, ((size_t)count + 1) * sizeof(*words));
    if (lk_opt_parse(cmd->options, count + 1, args, values, &operands, &e) == LK_OK)
        REQUIRE(operands >= 1 && operands <= count + 1);
    else
        REQUIRE(e.code == LK_EUSAGE && e.msg[0] && !strchr(e.msg, '\n'));
    free(values);
}

/* The first word tells which option, the others are its values. */
static void read_values(char **words, int count)
{
    lockstep_options o = LOCKSTEP_OPTIONS_INIT;
    const char **const VALUE[] = { &o.since,    &o.until,   &o.log_format, &o.json_keys, &o.caller,
                                   &o.rejected, &o.call_id, &o.task_id,    &o.attempt_no, &o.zone,
                                   &o.by,       &o.caller };
    const size_t n = sizeof(VALUE) / sizeof(VALUE[0]);
    const char *list[WORDS_MAX];
    lk_reading reading;
    lk_arena arena;
    lk_err e = { 0 };

    for (int i = 1; i < count; i++)
        list[i - 1] = words[i];
    for (int i = 1; i < count; i++)
        *VALUE[((unsigned char)words[0][0] + (size_t)i - 1) % n] = words[i];
    if (words[0][0] && words[0][1] == 'm') {
        o.matches = list;
        o.match_count = (size_t)count - 1;
    }
    if (words[0][0] && words[0][1] == 'l') {
        o.layers = list;
        o.layer_count = (size_t)count - 1;
    }
    lk_arena_init(&arena, (size_t)64 << 20);
    if (lk_reading_init(&reading, &o, &arena, &e) != LK_OK)
        REQUIRE(e.msg[0] && !strchr(e.msg, '\n'));
    lk_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    char *text = malloc(len + 1), *copy = malloc(len + 1), *words[WORDS_MAX + 1];
    int count;

    REQUIRE(text && copy);
    memcpy(text, data, len);
    text[len] = '\0';
    for (size_t i = 0; i < len; i++)
        if (text[i] == '\n')
            text[i] = '\0';
    for (size_t i = 0; LK_CMDS[i]; i++) {
        memcpy(copy, text, len + 1);
        count = split(copy, len, words);
        if (LK_CMDS[i]->options)
            parse(LK_CMDS[i], words, count);
    }
    count = split(text, len, words);
    if (count > 1)
        read_values(words, count);
    free(copy);
    free(text);
    return 0;
}
