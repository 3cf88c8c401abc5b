/* base/pages — how the process gets its memory from the kernel.
 *
 * Tables that grow and scratch that comes and goes cost most in fresh pages: each is cleared by the
 * kernel, and a table of many small ones misses in the processor's cache of translations at nearly every
 * look-up.
 *
 * Thread: before there is a second one.  */
#ifndef LK_BASE_PAGES_H
#define LK_BASE_PAGES_H

/* The heap keeps what was freed and takes large pages where the kernel gives them on request.  For a program
 * that works and ends, not for a library's process.  Where the C library or the kernel knows nothing of it,
 * nothing happens. */
void lk_pages_prefer_large(void);

#endif
