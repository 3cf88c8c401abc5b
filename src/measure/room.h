/* measure/room — how far arrays of bins that grow at both ends grow.
 *
 * Shapes: cap items, of which the first `front` stand before the first bin.
 * Thread: pure functions.  */
#ifndef LK_MEASURE_ROOM_H
#define LK_MEASURE_ROOM_H

#include <stdbool.h>
#include <stddef.h>

typedef struct lk_room {
    size_t cap, front;
} lk_room;

/* Is there room for `before` more bins in front and `need` in all? */
bool lk_room_is_enough(const lk_room *room, size_t before, size_t need);

/* Room for them, `least` items at least and doubled until it is enough.  What grows in front is given as much again, so
 * that a log that runs backwards moves its bins no more often than one that runs forwards; `max` = never
 * more bins than that.  The new front is where the first of the bins that are there goes, less `before`. */
lk_room lk_room_grown(const lk_room *room, size_t before, size_t need, size_t least, size_t max);

#endif
