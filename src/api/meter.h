/* api/meter — the public handle around base/meter.  */
#ifndef LK_API_METER_H
#define LK_API_METER_H

#include "base/meter.h"
#include "lockstep/lockstep.h"

lk_meter *lk_meter_of(lockstep_meter *m); /* NULL of NULL */

#endif
