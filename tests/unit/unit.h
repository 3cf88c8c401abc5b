/* unit — cmocka for tests/unit/test_<module>.c: one binary a module, TAP when CMOCKA_MESSAGE_OUTPUT
 * says so.
 *
 *     TEST(time_reads_leap_days)
 *     {
 *         for (size_t i = 0; i < ROWS(CASES); i++)
 *             check(parse(CASES[i].text) == CASES[i].want, "row %zu: '%s'", i, CASES[i].text);
 *     }
 *     TESTS(T(time_reads_leap_days), T(time_refuses_day_32))
 */
#ifndef LK_TESTS_UNIT_H
#define LK_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define ROWS(array) (sizeof(array) / sizeof((array)[0]))

#define TEST(name) static void name(__attribute__((unused)) void **state)
#define T(name) cmocka_unit_test(name)
#define TESTS(...)                                             \
    int main(void)                                             \
    {                                                          \
        const struct CMUnitTest tests[] = { __VA_ARGS__ };     \
        return cmocka_run_group_tests(tests, NULL, NULL) != 0; \
    }

/* Ends the test with a message, printf style: name the row. */
#define check(condition, ...)                                                           \
    do {                                                                                \
        if (!(condition)) {                                                             \
            char check_text[512];                                                       \
            (void)snprintf(check_text, sizeof(check_text), __VA_ARGS__);                \
            print_error("%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, check_text); \
            fail();                                                                     \
        }                                                                               \
    } while (0)

/* For calls that must succeed here: shows the error's message. */
#define check_ok(call, err) check((call) == LK_OK, "%s", (err).msg)

#endif
