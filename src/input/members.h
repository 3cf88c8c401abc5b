/* input/members — a compressed stream of any number of members (gzip's word; frames of zstd, streams
 * of xz and bzip2), unpacked step by step by a library's row.
 *
 * The row unpacks; what is the same for all stands here: reading on, padding between members, where
 * the next member starts, output held back until it is known to be good, a file that ends early.
 * Output that a row has not sealed is held back up to 4 MiB, so that what does not unpack gives no
 * byte; of a file that is cut short all that unpacked is given.
 *
 * Errors: next: ETRUNC "NAME stream is cut short at byte N"; EIO; EOOM; what the row says.
 * Cost:   512 KiB of output, up to 4 MiB where a row holds back; the row's own.
 * Source: zeros between or after members are padding (tapes, xz); other bytes end the data.  */
#ifndef LK_INPUT_MEMBERS_H
#define LK_INPUT_MEMBERS_H

#include "input/codec.h"

typedef enum lk_unpacked {
    LK_UNPACKED_SOME,   /* go on                                   */
    LK_UNPACKED_SEALED, /* all output until now may be handed out  */
    LK_UNPACKED_MEMBER, /* the same, and the member has ended well */
    LK_UNPACKED_NOT     /* *why is filled                          */
} lk_unpacked;

/* in[0 .. in_len) -> out[0 .. out_len): the row sets how much it used and made.  A step that leaves
 * room in `out` has given all that its input so far gives. */
typedef struct lk_unpacking {
    const char *in;
    size_t in_len;
    char *out;
    size_t out_len;
    uint64_t offset;    /* of in[0] in the file         */
    uint64_t member_at; /* where the member starts      */
    size_t used, made;
    bool is_check;      /* set by the row: its member's check does not match */
} lk_unpacking;

typedef struct lk_unpacker {
    const char *name;
    lk_magic magic[LK_MAGICS]; /* of a further member */
    void *(*open)(size_t room); /* of which it takes no more, see input/bytes; NULL = no memory */
    void (*close)(void *state);
    bool (*begin)(void *state); /* a member; false = no memory */
    lk_unpacked (*step)(void *state, lk_unpacking *io, lk_err *why);
} lk_unpacker;

LK_MUST_CHECK lk_code lk_members_open(const lk_unpacker *row, lk_bytes *in, lk_stream **out,
                                      lk_err *e);

/* "NAME stream is damaged at byte N (what)", N behind what was used. */
lk_unpacked lk_unpacked_damaged(const lk_unpacker *row, const lk_unpacking *io, const char *what,
                                lk_err *why);

#endif
