#include "base/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
    DIGITS = 6,
    SMALLEST = -4
}; /* powers of ten below it, and from DIGITS on, are written as such */

/* The digits of a number, at least `least` of them; how many. */
static size_t put_digits(char *out, uint64_t value, size_t least)
{
    char text[24], *at = text + sizeof(text);
    size_t n;

    for (; value > 0 || least > 0; value /= 10, least -= least > 0)
        *--at = (char)('0' + value % 10);
    n = (size_t)(text + sizeof(text) - at);
    memcpy(out, at, n);
    return n;
}

void lk_number_count(char out[LK_NUMBER_TEXT], int64_t value)
{
    size_t sign = value < 0;

    out[0] = '-';
    out[sign + put_digits(out + sign, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 1)] = '\0';
}

/* 10^i for i from SMALLEST to DIGITS. */
static const double TENS[] = { 1e-4, 1e-3, 1e-2, 1e-1, 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6 };

/* Of a number from 10^SMALLEST up to below 10^DIGITS: its power of ten. */
static int power_of(double value)
{
    int power = SMALLEST;

    while (value >= TENS[power + 1 - SMALLEST])
        power++;
    return power;
}

/* Six digits of the number, rounded; false where a last place may decide which way. */
static bool round_to_six(double value, int power, uint64_t *out)
{
    static const double UP[] = {
        1e5, 1e4, 1e3, 1e2, 1e1, 1, 1e6, 1e7, 1e8, 1e9
    }; /* 10^(5 - power) */
    double scaled = value * (power >= 0 ? UP[power] : UP[5 - power]), rest;

    *out = (uint64_t)scaled;
    rest = scaled - (double)*out;
    if (fabs(rest - 0.5) < 1e-6)
        return false;
    *out += rest > 0.5;
    return *out < 1000000;
}

void lk_number_six(char out[LK_NUMBER_TEXT], double value)
{
    const double size = fabs(value);
    uint64_t digits, unit = 1;
    size_t n = 0;
    int power;

    if (value == 0.0 && !signbit(value)) {
        memcpy(out, "0", 2);
        return;
    }
    if (!(size >= TENS[0] && size < TENS[DIGITS - SMALLEST]) ||
        !round_to_six(size, power = power_of(size), &digits)) {
        (void)snprintf(out, LK_NUMBER_TEXT, "%.6g", value);
        return;
    }
    if (value < 0)
        out[n++] = '-';
    for (int i = power; i < DIGITS - 1; i++)
        unit *= 10; /* of one, in digits */
    n += put_digits(out + n, digits / unit, 1);
    digits %= unit;
    if (digits) {
        size_t places = (size_t)(DIGITS - 1 - power);

        for (; digits % 10 == 0; digits /= 10)
            places--;
        out[n++] = '.';
        n += put_digits(out + n, digits, places);
    }
    out[n] = '\0';
}
