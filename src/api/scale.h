/* api/scale — map, reduce and merge over the stages of scale/.
 *
 * Errors: as lockstep/scale.h.  */
#ifndef LK_API_SCALE_H
#define LK_API_SCALE_H

#include "api/analysis.h"
#include "lockstep/scale.h"

LK_MUST_CHECK lk_code lk_scale_map(lk_analysis *a, const lockstep_options *options,
                                   const lockstep_map_options *how, lockstep_map_write *write,
                                   void *ctx, lk_err *e);
LK_MUST_CHECK lk_code lk_scale_merge(lk_analysis *a, const char *const *paths, size_t count, bool once,
                                     const lockstep_options *options, lk_err *e);

#endif
