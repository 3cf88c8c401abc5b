/* cli/progress — a bar on standard error for what takes long, if that is a terminal.  */
#ifndef LK_CLI_PROGRESS_H
#define LK_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct lk_progress {
    int64_t since_ms, shown_ms;
    bool on, drawn;
} lk_progress;

void lk_progress_init(lk_progress *p, bool quiet);
void lk_progress_show(void *progress, double share); /* from the second second on, ten times a second */
void lk_progress_clear(lk_progress *p);

#endif
