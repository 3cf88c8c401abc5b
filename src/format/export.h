/* format/export — entries of journalctl -o export, line by line.
 *
 *     __REALTIME_TIMESTAMP=1796010095803918
 *     MESSAGE=text                     or, for what is no plain text,
 *     MESSAGE                          the name, eight bytes of length (little end first), the bytes
 *     ...
 *     a blank line                     the end of the entry
 *
 * Lines come without their ends; NUL bytes that stood before one are told apart.  A CR before an end
 * of line in binary bytes is not seen: then the field ends where the next begins.
 *
 * Source: systemd, JOURNAL_EXPORT_FORMATS.  */
#ifndef LK_FORMAT_EXPORT_H
#define LK_FORMAT_EXPORT_H

#include "format/unwrap.h"

typedef enum lk_export_step {
    LK_EXPORT_OTHER,   /* a field that says nothing to us */
    LK_EXPORT_MESSAGE, /* of the message: the line is held */
    LK_EXPORT_END,     /* the entry is complete */
    LK_EXPORT_STRANGE, /* no line of an entry */
    LK_EXPORT_OOM
} lk_export_step;

bool lk_export_begins(lk_slice line);
void lk_export_open(lk_unwrap *u, size_t depth, uint64_t source);
/* `text` is the line without the layers around it. */
lk_export_step lk_export_feed(lk_unwrap *u, const lk_unwrap_input *line, lk_slice text);

/* unwrap.c: more text, one more line of what is held; false: no memory. */
bool lk_held_text(lk_held *h, lk_slice text);
bool lk_held_line(const lk_unwrap *u, lk_held *h, const lk_unwrap_input *line);

#endif
