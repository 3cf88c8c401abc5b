#include "unit.h"

#include "api/details.h"

static const lk_slice TEXTS[LK_DETAILS] = {
    { "10.0.0.1", 8 }, { NULL, 0 }, { "GET", 3 }, { "", 0 }, { "/a\0b", 4 },
};

TEST(details_are_kept_until_the_last_use)
{
    lk_err e = { 0 };
    lk_details d;
    uint32_t first, second, third;
    const char *texts[LK_DETAILS];

    lk_details_init(&d);
    assert_int_equal(lk_details_add(&d, TEXTS, 2, &first, &e), LK_OK);
    assert_int_not_equal(first, 0);
    assert_int_equal(lk_details_add(&d, TEXTS, 1, &second, &e), LK_OK);
    lk_details_drop(&d, first);
    lk_details_get(&d, first, texts);
    assert_string_equal(texts[LK_DETAIL_CALLER], "10.0.0.1");
    assert_string_equal(texts[LK_DETAIL_AGENT], "");
    assert_string_equal(texts[LK_DETAIL_METHOD], "GET");
    assert_string_equal(texts[LK_DETAIL_TARGET], "/a");
    lk_details_drop(&d, first);
    assert_int_equal(lk_details_add(&d, TEXTS, 1, &third, &e), LK_OK);
    assert_int_equal(third, first);
    lk_details_release(&d);
}

TEST(details_of_many_take_no_more_than_those_held)
{
    lk_err e = { 0 };
    lk_details d;
    uint32_t number;

    lk_details_init(&d);
    for (int i = 0; i < 100000; i++) {
        assert_int_equal(lk_details_add(&d, TEXTS, 1, &number, &e), LK_OK);
        lk_details_drop(&d, number);
    }
    assert_int_equal(d.count, 1);
    lk_details_release(&d);
}

TESTS(T(details_are_kept_until_the_last_use), T(details_of_many_take_no_more_than_those_held))
