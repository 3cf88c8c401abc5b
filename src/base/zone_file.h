/* base/zone_file — a time zone by its name: the one file of this program that opens another than those
 * it was told of, and only while arguments are read.
 *
 * Text:   "UTC", "Z"; "+02:00", "-0400"; a name of the system's time zones ("Europe/Berlin", "EST5EDT");
 *         a rule as POSIX has it for TZ ("CET-1CEST,M3.5.0,M10.5.0/3").
 * Owner:  arrays live in the arena.
 * Errors: EUSAGE none of these, with names that are near; EOOM.
 * Source: folders as the C libraries have them.  */
#ifndef LK_BASE_ZONE_FILE_H
#define LK_BASE_ZONE_FILE_H

#include "base/zone.h"

/* folder: of the time zones; NULL or "" = where systems keep them. */
LK_MUST_CHECK lk_code lk_zone_open(const char *text, const char *folder, lk_arena *a, lk_zone *out,
                                   lk_err *e);

#endif
