/* require — what must hold for any input: says where it did not and aborts, so that libFuzzer keeps the input.
 * Unlike assert it shows the condition's text with every compiler and cannot be switched off. */
#ifndef LK_FUZZ_REQUIRE_H
#define LK_FUZZ_REQUIRE_H

#include <stdio.h>
#include <stdlib.h>

#define REQUIRE(condition)                                                        \
    do {                                                                          \
        if (!(condition)) {                                                       \
            (void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                              \
        }                                                                         \
    } while (0)

#endif
