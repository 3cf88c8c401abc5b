/* lockstep/scale — logs larger than a machine: map, reduce and merge, for engines that people already run.
 *
 * A map turns an input into records, a line each, that any engine may sort and send; a reduce turns records
 * into a state; a merge turns states into the report that lockstep_analyze would give of all inputs, or into
 * one state.  See lockstep-map(5).
 *
 * Owner:  as in lockstep.h.
 * Errors: as in lockstep.h; text that a writer refuses (other than 0) ends the run with status 4.  */
#ifndef LOCKSTEP_SCALE_H
#define LOCKSTEP_SCALE_H

#include <lockstep/lockstep.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

enum { LOCKSTEP_MAP_PARTS_MAX = 4096 };

typedef struct lockstep_map_options {
    const char *name; /* of the one input, NULL = its path: parts of one file have one name */
    uint64_t at;      /* the byte of that file where it begins; UINT64_MAX = not known     */
    const char *const *like; /* [like_count] files whose first lines show how lines are read; none = the input's
                                own */
    size_t like_count;
    size_t parts; /* of the output, by the hash of the key, up to LOCKSTEP_MAP_PARTS_MAX; 0 = 1 */
} lockstep_map_options;

#define LOCKSTEP_MAP_OPTIONS_INIT { NULL, UINT64_MAX, NULL, 0, 0 }

/* Takes whole lines of one part of the output, from 0. */
typedef int lockstep_map_write(void *ctx, size_t part, const char *text, size_t len);

/* Reads the inputs of `options`, of which what says how lines are read counts.  *out has the account of the
 * input and the warnings. */
int lockstep_map(const lockstep_options *options, const lockstep_map_options *how,
                 lockstep_map_write *write, void *ctx, lockstep_report **out, lockstep_error *error);

/* Records of the file ("-": standard input), in any order, to a state. */
int lockstep_reduce(const char *path, lockstep_write *write, void *ctx, lockstep_error *error);

/* The report of all states.  once: what is there twice counts once; else it is an error.  Of `options` what
 * says how lines are read is the states' own and must not be given. */
int lockstep_merge(const char *const *states, size_t count, bool once, const lockstep_options *options,
                   lockstep_report **out, lockstep_error *error);
/* All states in one. */
int lockstep_merge_states(const char *const *states, size_t count, bool once, lockstep_write *write,
                          void *ctx, lockstep_error *error);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
