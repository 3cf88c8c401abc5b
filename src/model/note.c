#include "model/note.h"

lk_code lk_report_note(lk_report *r, lk_arena *a, const char *text, lk_err *e)
{
    const char **notes = LK_NEW(a, const char *, r->note_count + 1);

    if (!notes)
        return lk_fail(e, LK_EOOM, "no memory for a note");
    for (size_t i = 0; i < r->note_count; i++)
        notes[i] = r->notes[i];
    notes[r->note_count] = text;
    r->notes = notes;
    r->note_count++;
    return LK_OK;
}
