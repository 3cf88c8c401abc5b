/* base/number — numbers as text, as printf has them, without its cost: a report has tens of thousands.
 *
 * Units: none; digits of the C locale.
 * Errors: none.  */
#ifndef LK_BASE_NUMBER_H
#define LK_BASE_NUMBER_H

#include <stdint.h>

enum { LK_NUMBER_TEXT = 32 }; /* bytes that every one of them fits in */

/* "%" PRId64. */
void lk_number_count(char out[LK_NUMBER_TEXT], int64_t value);

/* "%.6g". */
void lk_number_six(char out[LK_NUMBER_TEXT], double value);

#endif
