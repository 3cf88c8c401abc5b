/* format/json_records — several JSON objects in one line: an array of them, or the blocks
 * {"records":[...]} of Azure's exports; and the lines of such an array that has one object a line, with
 * commas between and brackets around.
 *
 * Owner:  records point into the line.
 * Errors: none; what is no object is left out, what never closes goes to the end of the line.
 * Source: Azure Monitor, resource logs in blobs; `gcloud logging read --format=json`.  */
#ifndef LK_FORMAT_JSON_RECORDS_H
#define LK_FORMAT_JSON_RECORDS_H

#include "base/slice.h"

/* Is it such a line?  Then *rest is for lk_json_record_next. */
bool lk_json_records(lk_slice line, lk_slice *rest);

bool lk_json_record_next(lk_slice *rest, lk_slice *record); /* false: there is none, *rest is empty */

#endif
