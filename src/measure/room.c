#include "measure/room.h"

bool lk_room_is_enough(const lk_room *room, size_t before, size_t need)
{
    return before <= room->front && room->front - before + need <= room->cap;
}

lk_room lk_room_grown(const lk_room *room, size_t before, size_t need, size_t least, size_t max)
{
    size_t front = before > room->front ? need : room->front - before;
    lk_room out = { .cap = room->cap ? room->cap : least };

    if (front > max - need)
        front = max - need;
    while (out.cap < front + need)
        out.cap *= 2;
    out.front = front + before;
    return out;
}
