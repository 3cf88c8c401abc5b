/* cli/topic — what `lockstep help TOPIC` tells: rows of short texts, each of which fits a screen. */
#ifndef LK_CLI_TOPIC_H
#define LK_CLI_TOPIC_H

#include "base/buf.h"

typedef struct lk_topic {
    const char *name, *help; /* help: one line */
    const char *text;
} lk_topic;

extern const lk_topic LK_TOPICS[]; /* ends with a NULL name */

const lk_topic *lk_topic_find(const char *name); /* NULL when there is none */
void lk_topic_list(lk_buf *out);

#endif
