/* report/words — numbers as a person reads them, each with its unit; "not known" for null.
 *
 * Owner:  values; the text lives as long as the lk_word, inside an expression as long as that.  */
#ifndef LK_REPORT_WORDS_H
#define LK_REPORT_WORDS_H

#include "model/report.h"

#include <stdint.h>

typedef struct lk_word {
    char text[64];
} lk_word;

lk_word lk_word_count(int64_t count);                     /* "119,060" */
lk_word lk_word_rounded(double x);                        /* "119,060" of 119060.4; "not known" */
lk_word lk_word_counted(int64_t count, const char *noun); /* "1 call", "2 calls" */
lk_word lk_word_share(double share); /* "31.0 %"; "<0.1 %", ">99.9 %": no false 0, 100 */
lk_word lk_word_part(int64_t part, int64_t whole); /* the same of two counts */
/* The same of all parts of a whole, out[n]: rounded so that the tenths add up to 100.0, as the counts do to it. */
void lk_word_parts(const int64_t *part, size_t n, int64_t whole, lk_word *out);
lk_word lk_word_real(double x);                    /* "27.03", "1,770" */
lk_word lk_word_seconds(double s);                 /* measured: "0.25 s", "60.0 s", "3,600 s" */
lk_word lk_word_setting(double s);                 /* given: "60 s", "300 s (5 min)" */
lk_word lk_word_span(double s);                    /* "1 h 25 min", the two largest units */
lk_word lk_word_within(double s, double error);    /* "60.02", as many digits as the error allows */
lk_word lk_word_chance(double ln);                 /* "less than 1 in a billion" */
lk_word lk_word_bytes(int64_t bytes);              /* "1.2 MB" */
lk_word lk_word_scale(double x);                   /* at most 5 columns: "1,500", "12k", "0.25" */

/* What the stamps denote, as a clause. */
const char *lk_words_moment(const lk_report_input *in);
/* "SDK" for "sdk"; NULL: a name that somebody gave. */
const char *lk_words_layer(const char *name);
/* Of no advice; of a wave that finds the bucket empty. */
#define LK_WORDS_NO_ADVICE "Nothing: the log shows no retry that made this worse."
#define LK_WORDS_NOTHING_LEFT "finds nothing left: its first requests are refused already"
bool lk_words_finds_nothing(const lk_report_capacity *c);
/* Where a population is null: none logged an agent, or those of several are together. */
#define LK_WORDS_NO_AGENT "(no user agent in the log)"
#define LK_WORDS_NOT_ONE_AGENT "(not one user agent)"

/* UTC; the zone is not written. */
lk_word lk_word_instant(int64_t at_ns);                  /* "2025-07-15 12:31:04" */
lk_word lk_word_time(int64_t at_ns);                     /* "12:31:04" */
lk_word lk_word_range(int64_t start_ns, int64_t end_ns); /* "2025-07-15 12:00:00 to 13:25:09" */

/* "requests 3,540 -> 1,240, rejected 66.6 % -> 3.1 %, drained in 3 m -> 40 s, lost 0 -> 0" */
typedef struct lk_word_line {
    char text[640];
} lk_word_line;

lk_word_line lk_word_expected_briefly(const lk_report_expected *x); /* "1,191 requests in place of 10,339" */
lk_word_line lk_word_expected(const lk_report_expected *x);

#endif
