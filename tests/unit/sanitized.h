/* sanitized — a tenth of the runs where a sanitizer makes each ten times slower. */
#ifndef LK_TESTS_SANITIZED_H
#define LK_TESTS_SANITIZED_H

#ifdef __has_feature
#define LK_CLANG_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define LK_CLANG_SANITIZED 0
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || LK_CLANG_SANITIZED
enum { LK_RUNS_DIVISOR = 10 };
#else
enum { LK_RUNS_DIVISOR = 1 };
#endif

#endif
