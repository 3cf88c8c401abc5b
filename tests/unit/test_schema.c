/* The schema and the JSON renderer name the same keys, in the same order, at every level. */
#include "unit.h"

#include "model/json.h"
#include "report/render.h"
#include "sample_report.h"

static const lk_json *resolve(const lk_json *root, const lk_json *schema)
{
    static const char PREFIX[] = "#/$defs/";
    lk_slice ref;
    char name[64];

    if (!lk_json_text(lk_json_get(schema, "$ref"), &ref))
        return schema;
    check(lk_slice_starts(ref, PREFIX) && ref.len < sizeof(name), "%.*s", (int)ref.len, ref.p);
    memcpy(name, ref.p + strlen(PREFIX), ref.len - strlen(PREFIX));
    name[ref.len - strlen(PREFIX)] = '\0';
    schema = lk_json_get(lk_json_get(root, "$defs"), name);
    check(schema != NULL, "no definition of %s", name);
    return schema;
}

static size_t count(const lk_json *container)
{
    size_t n = 0;

    for (const lk_json *v = lk_json_first(container); v; v = lk_json_next(v))
        n++;
    return n;
}

/* required and properties list the same names in the same order. */
static void check_required(const lk_json *schema, const char *where)
{
    const lk_json *property = lk_json_first(lk_json_get(schema, "properties"));
    const lk_json *name = lk_json_first(lk_json_get(schema, "required"));
    lk_slice text;

    for (; property && name; property = lk_json_next(property), name = lk_json_next(name))
        check(lk_json_text(name, &text) && lk_slice_is(text, lk_json_key(property)),
              "%s: required '%.*s', property '%s'", where, (int)text.len, text.p,
              lk_json_key(property));
    check(!property && !name, "%s: required and properties differ in number", where);
}

static void check_alike(const lk_json *root, const lk_json *schema, const lk_json *value,
                        const char *where);

static void check_object(const lk_json *root, const lk_json *schema, const lk_json *value,
                         const char *where)
{
    const lk_json *property = lk_json_first(lk_json_get(schema, "properties"));
    const lk_json *member = lk_json_first(value);

    check(lk_json_get(schema, "additionalProperties") != NULL, "%s: open to other keys", where);
    check_required(schema, where);
    for (; property && member; property = lk_json_next(property), member = lk_json_next(member)) {
        check(strcmp(lk_json_key(property), lk_json_key(member)) == 0,
              "%s: schema '%s', report '%s'", where, lk_json_key(property), lk_json_key(member));
        check_alike(root, property, member, lk_json_key(member));
    }
    check(!property && !member, "%s: %zu keys in the schema, %zu in the report", where,
          count(lk_json_get(schema, "properties")), count(value));
}

static void check_alike(const lk_json *root, const lk_json *schema, const lk_json *value,
                        const char *where)
{
    schema = resolve(root, schema);
    if (lk_json_get(schema, "properties") && lk_json_first(value))
        check_object(root, schema, value, where);
    else if (lk_json_get(schema, "items"))
        for (const lk_json *item = lk_json_first(value); item; item = lk_json_next(item))
            check_alike(root, lk_json_get(schema, "items"), item, where);
}

static void check_report(const lk_report *r)
{
    const lk_style style = { 80, false, false, NULL };
    lk_json *schema = lk_json_parse(lk_slice_from(lk_schema_text())), *report;
    lk_err e = { 0 };
    lk_buf out;

    check(schema != NULL, "the schema is JSON");
    lk_buf_init(&out);
    check_ok(lk_render(r, "json", &style, &out, &e), e);
    report = lk_json_parse((lk_slice){ out.p, out.len });
    check_alike(schema, schema, report, "report");
    lk_json_free(report);
    lk_json_free(schema);
    lk_buf_release(&out);
}

TEST(schema_has_the_keys_of_a_full_report)
{
    static sample_report s;

    check_report(sample_seed(&s));
}

TEST(schema_has_the_keys_of_an_empty_report)
{
    static sample_report s;

    check_report(sample_empty(&s));
}

TEST(schema_closes_every_object_and_requires_every_key)
{
    lk_json *schema = lk_json_parse(lk_slice_from(lk_schema_text()));
    size_t objects = 0;

    for (const lk_json *d = lk_json_first(lk_json_get(schema, "$defs")); d; d = lk_json_next(d)) {
        if (!lk_json_get(d, "properties"))
            continue;
        check(lk_json_get(d, "additionalProperties") != NULL, "%s is open", lk_json_key(d));
        check_required(d, lk_json_key(d));
        objects++;
    }
    check(objects > 30, "%zu objects", objects);
    check(!strstr(lk_schema_text(), "\"additionalProperties\": true"), "an open object");
    lk_json_free(schema);
}

TEST(schema_is_one_text)
{
    const char *text = lk_schema_text();
    size_t len = strlen(text);

    check(len > 20000 && text[0] == '{', "%zu bytes", len);
    check(strcmp(text + len - 3, "\n}\n") == 0, "ends in '%s'", text + len - 3);
    check(strstr(text, "\"$schema\": \"https://json-schema.org/draft/2020-12/schema\"") != NULL,
          "names its dialect");
}

TESTS(T(schema_has_the_keys_of_a_full_report), T(schema_has_the_keys_of_an_empty_report),
      T(schema_closes_every_object_and_requires_every_key), T(schema_is_one_text))
