#include "model/bounds.h"

/* What the whole of a run needs at its worst was measured with tests/bench/bench_hostile; the rows are
 * the tables that hostile inputs fill.
 *
 * Where more would help nobody (targets, user agents, bins, steps), `most` is what is usual. */
/* clang-format off */
const lk_bound_row LK_BOUNDS_TABLE[LK_BOUNDS] = {
    [LK_BOUND_CALLS]   = { "open calls", "the oldest are decided with what is known by then", 131072, 4096, (size_t)1 << 24, 160 },
    [LK_BOUND_CALLERS] = { "callers, by target", "the longest silent are forgotten and count as new", 131072, 4096, (size_t)1 << 24, 132 },
    [LK_BOUND_IDS]     = { "ids of open calls", "the oldest are forgotten", 131072, 4096, (size_t)1 << 24, 48 },
    [LK_BOUND_WINDOW]  = { "reorder window", "later lines count out of their order", 65536, 2048, (size_t)1 << 22, 208 },
    [LK_BOUND_TARGETS] = { "targets", "further ones count as 'other'; how many is estimated", 8192, 512, 8192, 560 },
    [LK_BOUND_AGENTS]  = { "user agents", "further ones count as 'other'; how many is estimated", 4096, 256, 4096, 560 },
    [LK_BOUND_BINS]    = { "bins of arrivals", "bins become twice as wide", 1 << 20, 1 << 15, 1 << 20, 40 },
    [LK_BOUND_FINE]    = { "narrow bins of a long log, blocks", "narrow bins are given up", 2616, 64, 2616, 16384 },
    [LK_BOUND_STEPS]   = { "steps of callers", "every second caller is let go", 98304, 4096, 98304, 112 },
    [LK_BOUND_PAGES]   = { "workload, pages", "bins become twice as wide", 1536, 192, 1536, 10240 },
    [LK_BOUND_UNITS]   = { "units of named layers", "later ones are in none", 262144, 8192, 262144, 100 },
    [LK_BOUND_HELD]    = { "attempts to be printed", "the oldest are printed before their call is decided", 262144, 8192, (size_t)1 << 24, 96 },
    [LK_BOUND_LINE]    = { "bytes of a line", "a longer line is no request", 1 << 20, 1 << 17, 1 << 20, 8 },
    [LK_BOUND_FILES]   = { "inputs", "further ones are not listed; what is in them counts", 1024, 64, 1024, 12288 },
};
/* clang-format on */

/* The program itself takes the first of it, and what looks for clocks in a log of a day or more; the usual number
 * in proportion to what is left. */
static size_t scaled(const lk_bound_row *row, size_t memory)
{
    const size_t own_mib = 32, mib = (memory >> 20) - own_mib;
    const size_t usual_mib = (LK_MEMORY_DEFAULT >> 20) - own_mib;
    size_t n;

    if (mib / usual_mib >= row->most / row->usual)
        return row->most;
    n = row->usual / usual_mib * mib + row->usual % usual_mib * mib / usual_mib;
    return n < row->least ? row->least : n > row->most ? row->most : n;
}

static void scale_all(lk_bounds *b, size_t memory)
{
    for (size_t i = 0; i < LK_BOUNDS; i++)
        b->max[i] = scaled(&LK_BOUNDS_TABLE[i], memory);
}

/* An eighth is there for files as it is: one or two of any kind. */
enum { FILES_SHARE = 8, READ_BYTES = 1600 << 10, UNPACK_SHARE = 2, WAITING_SHARE = 16 };

static size_t less(size_t a, size_t b)
{
    return a < b ? a : b;
}

lk_code lk_bounds_for_files(lk_bounds *b, size_t count, size_t waiting, lk_err *e)
{
    const size_t files = b->max[LK_BOUND_FILES], most = b->memory / 2;
    const size_t spare = b->memory / WAITING_SHARE, beyond = waiting > spare ? waiting - spare : 0;
    size_t left, share, wanted;

    if (beyond > b->memory - LK_MEMORY_MIN)
        return lk_fail(e, LK_EUSAGE,
                       "--memory: at least %zuM are needed, for %zu inputs take %zuM until their turn",
                       (waiting >> 20) + 1 + (LK_MEMORY_MIN >> 20), count, (waiting >> 20) + 1);
    left = b->memory - beyond;
    share = left / FILES_SHARE;
    wanted = count > most / READ_BYTES ? most : count * READ_BYTES;
    b->side_room = wanted > share ? less(wanted, share + (left - LK_MEMORY_MIN)) : share;
    b->unpack_room = left / UNPACK_SHARE;
    scale_all(b, left - (b->side_room - share));
    b->max[LK_BOUND_FILES] = files;
    return LK_OK;
}

lk_code lk_bounds_init(lk_bounds *b, size_t memory, lk_err *e)
{
    if (memory == 0)
        memory = LK_MEMORY_DEFAULT;
    if (memory < LK_MEMORY_MIN)
        return lk_fail(e, LK_EUSAGE, "--memory: at least %zuM are needed",
                       (size_t)(LK_MEMORY_MIN >> 20));
    *b = (lk_bounds){ .memory = memory };
    scale_all(b, memory);
    return lk_bounds_for_files(b, 1, 0, e);
}
