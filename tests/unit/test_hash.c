#include "unit.h"

#include "base/hash.h"

#include <stdlib.h>

static const char TEXT[] = "abcdefghijklmnopqrstuvwxyz0123456789";

/* CPython 3.11 hashes bytes with SipHash-1-3: PYTHONHASHSEED=0 python3 -c 'hash(b"a")' has key 0. */
TEST(hash_is_siphash_1_3)
{
    static const struct {
        size_t len;
        uint64_t want;
    } CASES[] = {
        { 1, UINT64_C(0x407448d2b89b1813) },  { 2, UINT64_C(0x555508cbc6add439) },
        { 3, UINT64_C(0xc03bc3a0042630f2) },  { 4, UINT64_C(0xe3d1d5fdd52aae89) },
        { 5, UINT64_C(0x251f3c725bd784a2) },  { 6, UINT64_C(0x62207e654289df28) },
        { 7, UINT64_C(0x6db12aae9070f506) },  { 8, UINT64_C(0x3f7b849c0b8e35ea) },
        { 9, UINT64_C(0xf89b34a3d11eb6e5) },  { 10, UINT64_C(0xf47c264806c40ff1) },
        { 11, UINT64_C(0x14215fc65e2c3bd4) }, { 12, UINT64_C(0x83275255f37565c1) },
        { 13, UINT64_C(0x954aa964997ae4e6) }, { 14, UINT64_C(0xfdbd7fa99ace11da) },
        { 15, UINT64_C(0x1fd27a29b0e9dc7a) }, { 16, UINT64_C(0x94f60d3d29e6a312) },
        { 17, UINT64_C(0x61c47e6da27eaccc) }, { 36, UINT64_C(0xfe9ee02c60cec362) },
    };

    for (size_t i = 0; i < ROWS(CASES); i++)
        check(lk_hash_keyed(TEXT, CASES[i].len, 0, 0) == CASES[i].want, "length %zu", CASES[i].len);
}

/* The key of the SipHash paper, 00 01 .. 0f; the value is that of the 1-3 vectors in general use. */
TEST(hash_uses_both_halves_of_the_key)
{
    const uint64_t k0 = UINT64_C(0x0706050403020100), k1 = UINT64_C(0x0f0e0d0c0b0a0908);

    assert_int_equal(lk_hash_keyed(NULL, 0, k0, k1), UINT64_C(0xabac0158050fc4dc));
    assert_int_not_equal(lk_hash_keyed(TEXT, 5, 0, 1), lk_hash_keyed(TEXT, 5, 1, 0));
}

/* Ids that reports and saved states hold: this test may never be adapted. */
TEST(hash_published_key_never_changes)
{
    assert_int_equal(lk_hash("10.0.0.1", 8), UINT64_C(0xed035360eb4fb562));
    assert_int_equal(
        lk_hash("10.0.0.1", 8),
        lk_hash_keyed("10.0.0.1", 8, UINT64_C(0x706574736b636f6c), UINT64_C(0x736c617669727261)));
}

/* Every load is exact: an own malloc, which a sanitizer watches, at every length and alignment. */
TEST(hash_reads_its_bytes_only)
{
    for (size_t len = 0; len <= 36; len++)
        for (size_t shift = 0; shift < 8; shift++) {
            char *copy = malloc(len + shift + 1);

            assert_non_null(copy);
            memcpy(copy + shift, TEXT, len);
            copy[shift + len] = '!';
            check(lk_hash(copy + shift, len) == lk_hash(TEXT, len), "%zu+%zu", shift, len);
            free(copy);
        }
}

TEST(hash_every_bit_counts)
{
    for (size_t len = 1; len <= 24; len++)
        for (size_t bit = 0; bit < len * 8; bit++) {
            char copy[24];

            memcpy(copy, TEXT, len);
            copy[bit / 8] = (char)(copy[bit / 8] ^ (1 << bit % 8));
            check(lk_hash(copy, len) != lk_hash(TEXT, len), "length %zu, bit %zu", len, bit);
        }
}

/* The first outputs of SplitMix64 for seed 0 are the mixed multiples of the golden gamma. */
TEST(hash_mix_is_the_splitmix_finaliser)
{
    assert_int_equal(lk_hash_mix(UINT64_C(0x9e3779b97f4a7c15)), UINT64_C(0xe220a8397b1dcdaf));
    assert_int_equal(lk_hash_mix(UINT64_C(0x3c6ef372fe94f82a)), UINT64_C(0x6e789e6aa1b965f4));
    assert_int_equal(lk_hash_mix(0), 0);
}

/* Products whose halves are known; what a machine without wide multiplication does gives the same. */
TEST(hash_fold_is_both_halves_of_the_product)
{
    static const struct {
        uint64_t a, b, want;
    } CASES[] = {
        { 0, UINT64_C(0x123456789abcdef0), 0 },
        { 1, UINT64_C(0x123456789abcdef0), UINT64_C(0x123456789abcdef0) },
        { UINT64_C(0x100000000), UINT64_C(0x100000000), 1 },
        { UINT64_MAX, UINT64_MAX, UINT64_MAX }, /* fffffffffffffffe 0000000000000001 */
        { UINT64_C(0xffffffff00000000), UINT64_C(0xffffffff), UINT64_C(0x1fffffffe) },
    };

    for (size_t i = 0; i < ROWS(CASES); i++)
        check(lk_hash_fold(CASES[i].a, CASES[i].b) == CASES[i].want, "row %zu: %jx", i,
              (uintmax_t)lk_hash_fold(CASES[i].a, CASES[i].b));
}

TESTS(T(hash_is_siphash_1_3), T(hash_uses_both_halves_of_the_key),
      T(hash_published_key_never_changes), T(hash_reads_its_bytes_only), T(hash_every_bit_counts),
      T(hash_mix_is_the_splitmix_finaliser), T(hash_fold_is_both_halves_of_the_product))
