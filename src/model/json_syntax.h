/* model/json_syntax — is it JSON?  Asked where a parser gave up, to tell damage from want of memory.
 *
 * What it says yes to, cJSON parses: strings may hold any byte, as there, and a document that is nested
 * deeper than cJSON goes, or has a number longer than it takes, is none.
 * Cost:   one pass; no memory but the stack, LK_JSON_SYNTAX_DEPTH small frames at most.
 * Source: RFC 8259; limits of cJSON 1.7.  */
#ifndef LK_MODEL_JSON_SYNTAX_H
#define LK_MODEL_JSON_SYNTAX_H

#include "base/slice.h"

#include <stdbool.h>

enum { LK_JSON_SYNTAX_DEPTH = 1000, LK_JSON_SYNTAX_NUMBER = 62 };

/* One value, with blanks around it and nothing else. */
bool lk_json_syntax(lk_slice text);

#endif
