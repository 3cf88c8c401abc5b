/* format/cache — what a reader of lines carries from one line to the next.
 *
 * The last time stamp with its value, the JSON key that stood at each place of the last line, and
 * room for strings that had to be unescaped.  It saves work and changes no result: a fresh cache
 * reads every line the same.  But for two things: the columns that a W3C log's last #Fields line
 * named, by which the lines below it are read, and what is set for a line before it comes: the wrapper's
 * stamp, the places of its quotes.
 *
 * Owner:  the caller's struct, plain data.
 * Thread: one reader, one cache.
 * Cost:   about 14 KiB, in constant memory whatever the line.  */
#ifndef LK_FORMAT_CACHE_H
#define LK_FORMAT_CACHE_H

#include "base/marks.h"
#include "base/slice.h"
#include "format/fields.h"
#include "format/outer.h"
#include "format/w3c_columns.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LK_CACHE_STAMP_MAX = 40, LK_CACHE_KEYS = 48, LK_CACHE_KEY_MAX = 30, LK_CACHE_TEXT = 8192,
       LK_CACHE_NAMES = 2048, LK_KEY_GUESS_ROOM = 32 };

struct lk_format;

typedef struct lk_key_guess {
    uint32_t sign;   /* what its row means: lk_jsonl_meaning */
    uint8_t field;
    uint8_t len;     /* 0 = no guess */
    uint8_t row;     /* of the key table */
    uint16_t object; /* that holds it, by format/json_keys */
    char text[LK_KEY_GUESS_ROOM]; /* with the quote and the colon behind it */
} lk_key_guess;

typedef struct lk_parse_cache {
    size_t stamp_len; /* 0 = no stamp yet */
    int64_t stamp_ns;
    bool stamp_fraction;
    char stamp[LK_CACHE_STAMP_MAX];
    size_t digits_at, digits_past; /* of its second, behind the point; 0 = not known to be such */
    int64_t second_ns;             /* the instant without them */
    int64_t digit_ns;              /* what the last of them is worth */
    uint64_t keys_tag; /* lk_json_paths.tag that the guesses were made with */
    lk_key_guess keys[LK_CACHE_KEYS];
    lk_try tries[LK_TRIES_MAX]; /* of the line read last */
    lk_w3c_columns w3c;       /* of the last #Fields line */
    size_t w3c_names_len;
    char w3c_names[LK_CACHE_NAMES]; /* the names on it, as far as they fit */
    lk_quotes quotes; /* of the line that comes; unknown, or set for that line alone */
    lk_slice body;                  /* of the line read last: what the row parsed */
    const struct lk_format *row;    /* that parsed it */
    const lk_outer *outer;    /* the stamp for a line that has none; NULL = there is none */
    bool no_memory;           /* a line was passed over that might have been read */
    size_t text_len;
    char text[LK_CACHE_TEXT];
} lk_parse_cache;

void lk_parse_cache_init(lk_parse_cache *c);

typedef bool lk_stamp_reader(lk_slice text, int64_t *at_ns, bool *fraction);

/* `read` through the cache; also false for instants before 1970 or after 2222, which no log has and
 * which would leave no room for sums. */
bool lk_cache_stamp(lk_parse_cache *c, lk_slice text, lk_stamp_reader *read, int64_t *at_ns,
                    bool *fraction);
/* The same for a reader to which digits behind "ss." are a fraction of the second: in the second of the last
 * stamp only they are read. */
bool lk_cache_clock(lk_parse_cache *c, lk_slice text, lk_stamp_reader *read, int64_t *at_ns,
                    bool *fraction);
bool lk_stamp_is_plausible(int64_t at_ns);

/* `max` bytes (or what is left, if less) for a string of this line. */
char *lk_cache_room(lk_parse_cache *c, size_t *max);
/* The first `len` bytes of that room are in use. */
void lk_cache_keep(lk_parse_cache *c, size_t len);

#endif
