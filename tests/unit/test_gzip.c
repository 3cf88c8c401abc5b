#include "reading.h"

#include "input/lines.h"

#include <inttypes.h>

#define BYTES(literal) (literal), sizeof(literal) - 1

/* Lines and their gzip: a new block at every 300 bytes, two members with the edge in a line. */
typedef struct packed {
    lk_buf text, gz;
    size_t second; /* where the second member starts in gz */
    size_t edge;   /* and in text                          */
} packed;

static packed pack_two(unsigned count, size_t block)
{
    packed p = { .second = 0 };

    add_lines(&p.text, count);
    p.edge = p.text.len / 2;
    while (p.text.p[p.edge - 1] == '\n' || p.text.p[p.edge] == '\n')
        p.edge++;
    add_member(&p.gz, p.text.p, p.edge, block, NULL);
    p.second = p.gz.len;
    add_member(&p.gz, p.text.p + p.edge, p.text.len - p.edge, block, NULL);
    return p;
}

static void unpack(packed *p)
{
    lk_buf_release(&p->text);
    lk_buf_release(&p->gz);
}

TEST(gzip_members_may_meet_in_a_line)
{
    packed p = pack_two(100, 300);
    reading r;

    read_bytes(p.gz.p, p.gz.len, 0, &r);
    check(r.end == LK_STEP_END && r.lines == 100 && same_buf(&r.text, &p.text), "%s", r.err.msg);
    check(r.stats.bytes == p.gz.len && r.stats.bytes_out == p.text.len, "%ju",
          (uintmax_t)r.stats.bytes);
    check(r.stats.padding_bytes + r.stats.trailing_bytes == 0 && !r.stats.truncated, "stats");
    reading_release(&r);
    unpack(&p);
}

TEST(gzip_gives_the_same_through_any_pipe)
{
    packed p = pack_two(100, 300);

    for (size_t step = 1; step < p.gz.len; step += step / 2 + 1) {
        reading r;

        read_piped(p.gz.p, p.gz.len, step, 0, &r);
        check(r.end == LK_STEP_END && same_buf(&r.text, &p.text), "step %zu: %s", step, r.err.msg);
        reading_release(&r);
        read_piped(p.gz.p, p.gz.len - 4, step, 0, &r);
        check(r.err.code == LK_ETRUNC && same_buf(&r.text, &p.text), "step %zu: %s", step,
              r.err.msg);
        reading_release(&r);
    }
    unpack(&p);
}

TEST(gzip_block_by_block_is_what_zlib_gives)
{
    static const size_t BLOCKS[] = { 0, 1, 7, 1000, 100000, 500000 };

    for (size_t i = 0; i < ROWS(BLOCKS); i++) {
        packed p = pack_two(BLOCKS[i] == 1 ? 100 : 30000, BLOCKS[i]);
        reading r;

        read_bytes(p.gz.p, p.gz.len, 0, &r);
        check(r.end == LK_STEP_END && same_buf(&r.text, &p.text), "row %zu: %s", i, r.err.msg);
        reading_release(&r);
        unpack(&p);
    }
}

/* ---- cut short ------------------------------------------------------------------------------ */

static void check_prefix(const packed *p, size_t len)
{
    const bool whole = len == 0 || len == p->second || len == p->gz.len;
    char want[64];
    reading r;

    read_bytes(p->gz.p, len, 0, &r);
    (void)snprintf(want, sizeof(want), "gzip stream is cut short at byte %zu", len);
    check(starts_with(&p->text, r.text.p, r.text.len), "prefix %zu: other lines", len);
    check(starts_with(&p->text, r.text.p, r.text.len) && r.half.len <= p->text.len - r.text.len &&
              memcmp(r.half.p ? r.half.p : "", p->text.p + r.text.len, r.half.len) == 0,
          "prefix %zu: another half line", len);
    if (whole) {
        check(r.end == LK_STEP_END && !r.stats.truncated, "prefix %zu: %s", len, r.err.msg);
    } else {
        check(r.end == LK_STEP_FAIL && r.err.code == LK_ETRUNC && r.stats.truncated, "prefix %zu",
              len);
        check(strcmp(r.err.msg, want) == 0, "prefix %zu: '%s'", len, r.err.msg);
        check(r.text.len + r.half.len == r.stats.bytes_out, "prefix %zu", len);
    }
    check(len + 8 < p->gz.len || same_buf(&r.text, &p->text), "prefix %zu: all has inflated", len);
    reading_release(&r);
}

TEST(gzip_every_prefix_gives_what_inflates)
{
    packed p = pack_two(60, 300);

    /* the edge of the members in a line: that prefix ends in a half line, and looks whole */
    check_prefix(&p, 0);
    for (size_t len = 3; len <= p.gz.len; len++)
        if (len != p.second)
            check_prefix(&p, len);
    unpack(&p);
}

TEST(gzip_prefix_of_a_large_file)
{
    packed p = pack_two(60000, 0); /* 4 MB */

    for (size_t len = 11; len < p.gz.len; len += p.gz.len / 37)
        check_prefix(&p, len);
    unpack(&p);
}

TEST(gzip_delivers_more_of_a_longer_prefix)
{
    packed p = pack_two(60, 0);
    uint64_t before = 0, most = 0;

    for (size_t len = 3; len < p.second; len++) {
        reading r;

        read_bytes(p.gz.p, len, 0, &r);
        check(r.stats.bytes_out >= before, "prefix %zu: %ju bytes", len,
              (uintmax_t)r.stats.bytes_out);
        most = r.stats.bytes_out - before > most ? r.stats.bytes_out - before : most;
        before = r.stats.bytes_out;
        reading_release(&r);
    }
    check(before == p.edge, "%ju bytes", (uintmax_t)before);
    check(most <= 258 * 8, "one byte more gave %ju bytes: a block is held back", (uintmax_t)most);
    unpack(&p);
}

/* ---- damage --------------------------------------------------------------------------------- */

static bool is_mismatch(const lk_err *e)
{
    return e->code == LK_EDATA && strstr(e->msg, "its lines are not to be trusted");
}

typedef struct flips {
    unsigned damaged, mismatched, cut, harmless, misled;
} flips;

/* Most flips inflate to something else and end in a checksum that does not match.  A flip that ends
 * its block early misleads: the block looks whole, and the error comes in the next.  Whatever
 * happens, what stood before the flip is right, and it is an error. */
static void check_flip(const packed *p, size_t at, size_t before, const reading *r, flips *seen)
{
    const bool is_right = starts_with(&p->text, r->text.p, r->text.len);
    const lk_buf first = { .p = p->text.p, .len = r->text.len < before ? r->text.len : before };

    check(starts_with(&r->text, first.p, first.len), "byte %zu: other lines before it", at);
    if (r->end == LK_STEP_END) {
        check(is_right, "byte %zu: other lines", at);
        check(r->stats.trailing_bytes > 0 || same_buf(&r->text, &p->text), "byte %zu: lines lost",
              at);
        seen->harmless += r->stats.trailing_bytes == 0;
        return;
    }
    check(r->text.len + r->half.len >= before, "byte %zu: lines before it lost", at);
    if (r->err.code == LK_ETRUNC) {
        seen->cut++; /* the flip hid the end of the member */
        return;
    }
    check(r->err.code == LK_EDATA, "byte %zu: %s", at, r->err.msg);
    seen->mismatched += is_mismatch(&r->err);
    seen->damaged += !is_mismatch(&r->err);
    seen->misled += !is_mismatch(&r->err) && !is_right;
}

/* Bytes of text that the blocks before gz[at] give for certain. */
static size_t text_before(const packed *p, size_t at, size_t block)
{
    reading r;
    size_t len;

    read_bytes(p->gz.p, at, 0, &r);
    len = r.text.len + r.half.len;
    reading_release(&r);
    if (at >= p->second)
        return p->edge + (len - p->edge) / block * block;
    return len / block * block;
}

static void flip_all(size_t block, flips *seen)
{
    packed p = pack_two(14, block);

    for (size_t at = 3; at < p.gz.len; at++) { /* before that it is no gzip */
        const size_t before = at >= p.second && at < p.second + 2 ? 0 : text_before(&p, at, block);

        for (int bit = 0; bit < 8; bit++) {
            reading r;

            p.gz.p[at] = (char)(p.gz.p[at] ^ (1 << bit));
            read_bytes(p.gz.p, p.gz.len, 0, &r);
            check_flip(&p, at, before, &r, seen);
            reading_release(&r);
            p.gz.p[at] = (char)(p.gz.p[at] ^ (1 << bit));
        }
    }
    unpack(&p);
}

TEST(gzip_every_flipped_bit_is_an_error_or_harmless)
{
    flips one = { 0 }, many = { 0 };

    flip_all(1 << 20, &one); /* one block a member, as in any small file */
    flip_all(300, &many);
    check(one.damaged > 500 && one.mismatched > 500 && one.misled == 0, "%u, %u, %u", one.damaged,
          one.mismatched, one.misled);
    check(many.misled * 10 < many.damaged, "%u of %u", many.misled, many.damaged);
    /* harmless: time, extra flags, system, text flag of two headers; bits behind a last block */
    check(one.harmless >= 2 * (6 * 8 + 1) && one.harmless < 120, "%u", one.harmless);
    check(many.harmless >= 2 * (6 * 8 + 1) && many.harmless < 120, "%u", many.harmless);
}

/* ---- blocks written by hand: fixed Huffman codes (RFC 1951, 3.2.6) -------------------------- */

typedef struct bits {
    lk_buf *out;
    unsigned pending, count;
} bits;

static void put(bits *b, unsigned value, unsigned count)
{
    for (b->pending |= value << b->count, b->count += count; b->count >= 8; b->count -= 8) {
        const char c = (char)(b->pending & 0xFF);

        lk_buf_add(b->out, &c, 1);
        b->pending >>= 8;
    }
}

/* Codes go highest bit first. */
static void put_code(bits *b, unsigned code, unsigned count)
{
    while (count-- > 0)
        put(b, code >> count & 1, 1);
}

static bits begin_gzip(lk_buf *out)
{
    lk_buf_add(out, "\x1F\x8B\x08\0\0\0\0\0\0\x03", 10);
    return (bits){ .out = out };
}

/* A block of these bytes, and then the last 28 of them again and again, 258 bytes at a time. */
static void put_block(bits *b, const char *text, size_t len, size_t repeats)
{
    put(b, 0, 1); /* not the last one */
    put(b, 1, 2); /* fixed codes      */
    for (size_t i = 0; i < len; i++)
        put_code(b, 0x30 + (unsigned char)text[i], 8);
    for (size_t i = 0; i < repeats; i++) {
        put_code(b, 0xC5, 8); /* 285: length 258            */
        put_code(b, 9, 5);    /* distance 25 ..             */
        put(b, 3, 3);         /* .. plus 3                  */
    }
}

static void put_end(bits *b)
{
    put_code(b, 0, 7);
}

static void put_damage(bits *b)
{
    put_code(b, 0xC6, 8); /* 286 is no code */
    put(b, 0, 7);
}

TEST(gzip_gives_no_line_of_a_block_that_is_damaged)
{
    const char row[] = "the same line over and over\n";

    for (size_t good = 0; good < 4; good++)
        for (size_t length = 0; length < 600; length += 85) {
            lk_buf text = { 0 }, gz = { 0 };
            bits b = begin_gzip(&gz);
            char want[100];
            reading r;

            for (size_t i = 0; i < good; i++, put_end(&b))
                put_block(&b, row, 28, 1);
            put_block(&b, row, 28, length);
            put_damage(&b);
            for (size_t i = 0; i < good * (28 + 258); i++)
                lk_buf_add(&text, row + i % (28 + 258) % 28, 1);
            read_bytes(gz.p, gz.len, 0, &r);
            (void)snprintf(want, sizeof(want),
                           "gzip stream is damaged at byte %zu (invalid literal/length code)",
                           gz.len);
            assert_string_equal(r.err.msg, want);
            check(r.err.code == LK_EDATA && r.stats.bytes_out == text.len,
                  "%zu good blocks: %ju bytes", good, (uintmax_t)r.stats.bytes_out);
            check(starts_with(&text, r.text.p, r.text.len) && r.text.len + r.half.len == text.len &&
                      r.cuts == (good > 0),
                  "%zu good blocks: %zu bytes", good, r.text.len);
            check(r.err.line == r.lines + r.cuts && !r.stats.truncated, "%ju",
                  (uintmax_t)r.err.line);
            reading_release(&r);
            lk_buf_release(&gz);
            lk_buf_release(&text);
        }
}

TEST(gzip_holds_back_4_MiB_and_no_more)
{
    const size_t held = 4 << 20;
    static const size_t MIBS[] = { 1, 3, 5, 14 };

    for (size_t i = 0; i < ROWS(MIBS); i++) {
        const size_t repeats = (MIBS[i] << 20) / 258;
        lk_buf gz = { 0 };
        bits b = begin_gzip(&gz);
        reading r;

        put_block(&b, "the same line over and over\n", 28, repeats);
        read_bytes(gz.p, gz.len, 0,
                   &r); /* cut: everything but the last code, whose byte is not full */
        check(r.err.code == LK_ETRUNC && r.stats.bytes_out == 28 + (repeats - 1) * 258,
              "row %zu: %ju bytes", i, (uintmax_t)r.stats.bytes_out);
        reading_release(&r);
        put_damage(&b);
        read_bytes(gz.p, gz.len, 0, &r);
        check(r.err.code == LK_EDATA && r.stats.bytes_out == (MIBS[i] << 20) / held * held,
              "row %zu: %ju bytes", i, (uintmax_t)r.stats.bytes_out);
        check(r.lines == r.stats.bytes_out / 28, "row %zu: %ju lines", i, (uintmax_t)r.lines);
        reading_release(&r);
        lk_buf_release(&gz);
    }
}

/* A file may be read by another library than a pipe, which holds back by other means: the same bytes,
 * the same words. */
static void check_as_through_a_pipe(const lk_buf *gz, size_t len, size_t flipped)
{
    reading file, piped;

    read_bytes(gz->p, len, 0, &file);
    read_piped(gz->p, len, 1 << 16, 0, &piped);
    check(same_buf(&file.text, &piped.text) && same_buf(&file.half, &piped.half),
          "%zu of %zu bytes, flip at %zu: %ju lines, piped %ju", len, gz->len, flipped,
          (uintmax_t)file.lines, (uintmax_t)piped.lines);
    check(file.end == piped.end && strcmp(file.err.msg, piped.err.msg) == 0, "flip at %zu: %s",
          flipped, file.err.msg);
    check(file.err.line == piped.err.line && file.stats.bytes_out == piped.stats.bytes_out,
          "flip at %zu: %ju bytes, piped %ju", flipped, (uintmax_t)file.stats.bytes_out,
          (uintmax_t)piped.stats.bytes_out);
    reading_release(&file);
    reading_release(&piped);
}

TEST(gzip_damage_in_a_large_file_is_what_a_pipe_shows)
{
    lk_buf text = { 0 }, gz = { 0 };

    add_lines(&text, 85000); /* 6 MB: more than is held back */
    add_member(&gz, text.p, text.len, 0, NULL);
    add_member(&gz, "one more\n", 9, 0, NULL);
    check_as_through_a_pipe(&gz, gz.len, 0);
    for (size_t at = gz.len / 4; at < gz.len; at += gz.len / 4) {
        gz.p[at] = (char)(gz.p[at] ^ 4);
        check_as_through_a_pipe(&gz, gz.len, at);
        gz.p[at] = (char)(gz.p[at] ^ 4);
    }
    check_as_through_a_pipe(&gz, gz.len - gz.len / 9, 0);
    lk_buf_release(&gz);
    lk_buf_release(&text);
}

/* ---- checksum, length, header --------------------------------------------------------------- */

/* clang-format off */
static const struct { bool second; size_t from_end; const char *what; } TRAILERS[] = {
    { false, 8, "checksum" }, { false, 5, "checksum" },
    { false, 4, "length" },   { false, 1, "length" },
    { true,  8, "checksum" }, { true,  5, "checksum" },
    { true,  4, "length" },   { true,  1, "length" },
};
/* clang-format on */

TEST(gzip_says_which_check_failed_and_where)
{
    packed p = pack_two(50, 0);
    size_t shared = 1; /* the line that both members hold a part of */

    for (size_t i = 0; i < p.edge; i++)
        shared += p.text.p[i] == '\n';
    for (size_t i = 0; i < ROWS(TRAILERS); i++) {
        const size_t at = (TRAILERS[i].second ? p.gz.len : p.second) - TRAILERS[i].from_end;
        char want[160];
        reading r;

        p.gz.p[at] = (char)(p.gz.p[at] ^ 0x10);
        read_bytes(p.gz.p, p.gz.len, 0, &r);
        p.gz.p[at] = (char)(p.gz.p[at] ^ 0x10);
        (void)snprintf(
            want, sizeof(want),
            "%s of the gzip member that starts at byte %zu does not match: its lines are not "
            "to be trusted (lines %zu to %zu)",
            TRAILERS[i].what, TRAILERS[i].second ? p.second : 0,
            TRAILERS[i].second ? shared : (size_t)1, TRAILERS[i].second ? (size_t)50 : shared);
        check(r.end == LK_STEP_FAIL && r.err.code == LK_EDATA && !r.stats.truncated, "row %zu", i);
        assert_string_equal(r.err.msg, want);
        check(r.text.len + r.half.len == (TRAILERS[i].second ? p.text.len : p.edge),
              "row %zu: %zu bytes", i, r.text.len);
        check(r.cuts == !TRAILERS[i].second, "row %zu", i);
        reading_release(&r);
    }
    unpack(&p);
}

static void read_strict(const void *p, size_t len, reading *r)
{
    char path[64];
    int fd = make_file(p, len, path);
    lk_lines *l = NULL;
    lk_err e = { 0 };

    check_ok(lk_lines_open(path, 0, &l, &e), e);
    check_ok(lk_lines_strict(l, &e), e);
    read_rest(l, LK_LINE_MAX, r);
    lk_lines_close(l);
    (void)close(fd);
}

/* All, the first member, or nothing; never less than its check vouches for. */
static void check_strict(const packed *p, size_t len, size_t least, const char *what, size_t at)
{
    reading r;
    size_t got;

    read_strict(p->gz.p, len, &r);
    /* at the edge of the members the file's last line has no newline, and gets one */
    got = r.text.len + r.half.len;
    got -= r.end == LK_STEP_END && got == p->edge + 1;
    check(starts_with(&p->text, r.text.p, r.text.len < got ? r.text.len : got), "%s %zu", what, at);
    check(got == 0 || got == p->edge || got == p->text.len, "%s %zu: %zu bytes", what, at, got);
    check(got >= least, "%s %zu: only %zu bytes", what, at, got);
    check(r.end == LK_STEP_END || strstr(r.err.msg, "nothing of it is read (strict)"), "%s",
          r.err.msg);
    reading_release(&r);
}

TEST(gzip_strict_gives_what_a_check_vouches_for)
{
    enum { MAGIC = 3 };
    packed p = pack_two(40, 0);

    check_strict(&p, p.gz.len, p.text.len, "whole", 0);
    for (size_t len = MAGIC; len < p.gz.len; len++)
        check_strict(&p, len, len >= p.second ? p.edge : 0, "prefix", len);
    for (size_t at = MAGIC; at < p.gz.len; at++)
        for (int bit = 1; bit < 256; bit *= 4) {
            p.gz.p[at] = (char)(p.gz.p[at] ^ bit);
            check_strict(&p, p.gz.len, at >= p.second ? p.edge : 0, "byte", at);
            p.gz.p[at] = (char)(p.gz.p[at] ^ bit);
        }
    unpack(&p);
}

/* What is no file is read once: as without it. */
TEST(gzip_strict_leaves_pipes_as_they_are)
{
    packed p = pack_two(40, 0);
    feeding f = feed_stdin(p.gz.p, p.gz.len - 4, 100);
    lk_lines *l = NULL;
    lk_err e = { 0 };
    reading r;

    check_ok(lk_lines_open("-", 0, &l, &e), e);
    check_ok(lk_lines_strict(l, &e), e);
    read_rest(l, LK_LINE_MAX, &r);
    check(r.err.code == LK_ETRUNC && same_buf(&r.text, &p.text), "%s", r.err.msg);
    lk_lines_close(l);
    reading_release(&r);
    feed_end(f);
    unpack(&p);
}

TEST(gzip_reads_every_header_field)
{
    Bytef extra[] = "extra", name[] = "access.log", comment[] = "a comment";
    gz_header head = { .text = 1,
                       .time = 1,
                       .os = 3,
                       .extra = extra,
                       .extra_len = 5,
                       .name = name,
                       .comment = comment,
                       .hcrc = 1 };
    lk_buf gz = { 0 };
    reading r;

    add_member(&gz, "a\nb\n", 4, 0, &head);
    read_bytes(gz.p, gz.len, 0, &r);
    check(r.end == LK_STEP_END && r.lines == 2, "%s", r.err.msg);
    reading_release(&r);
    read_piped(gz.p, gz.len, 1, 0, &r);
    check(r.end == LK_STEP_END && r.lines == 2, "%s", r.err.msg);
    reading_release(&r);
    gz.p[20] = 'X';
    read_bytes(gz.p, gz.len, 0, &r);
    check(r.end == LK_STEP_FAIL && r.err.code == LK_EDATA && r.lines == 0, "%s", r.err.msg);
    check(strstr(r.err.msg, "(header crc mismatch)"), "%s", r.err.msg);
    reading_release(&r);
    lk_buf_release(&gz);
}

/* clang-format off */
static const struct { const char *p; size_t len; lk_code code; const char *msg; } BARE[] = {
    { BYTES("\x1F\x8B\x08"),
      LK_ETRUNC, "gzip stream is cut short at byte 3" },
    { BYTES("\x1F\x8B\x08\0\0\0\0\0\0\x03"),
      LK_ETRUNC, "gzip stream is cut short at byte 10" },
    { BYTES("\x1F\x8B\x08\xE0\0\0\0\0\0\x03"),
      LK_EDATA, "gzip stream is damaged at byte 4 (unknown header flags set)" },
    { BYTES("\x1F\x8B\x08\0\0\0\0\0\0\x03\x07\0"),
      LK_EDATA, "gzip stream is damaged at byte 11 (invalid block type)" },
    { BYTES("\x1F\x8B\x08\0\0\0\0\0\0\x03\x01\1\0\1\0"),
      LK_EDATA, "gzip stream is damaged at byte 15 (invalid stored block lengths)" },
    { BYTES("\x1F\x8B\x08\0\0\0\0\0\0\x03\x03\0\0\0\0\0\0\0\0\0"), LK_OK, "" }, /* an empty file */
};
/* clang-format on */

TEST(gzip_bare_headers)
{
    for (size_t i = 0; i < ROWS(BARE); i++) {
        reading r;

        read_bytes(BARE[i].p, BARE[i].len, 0, &r);
        check(r.err.code == BARE[i].code && r.lines + r.cuts == 0, "row %zu: %s", i, r.err.msg);
        assert_string_equal(r.err.msg, BARE[i].msg);
        reading_release(&r);
    }
}

/* ---- what stands behind a member ------------------------------------------------------------ */

/* more: the whole file once again behind the tail */
/* clang-format off */
static const struct {
    const char *p; size_t len;
    bool more;
    uint64_t lines, padding, trailing;
    lk_code code;
} TAILS[] = {
    { BYTES(""),                      true,  40, 0, 0,  LK_OK },
    { BYTES("\0"),                    false, 20, 1, 0,  LK_OK },
    { BYTES("\0\0\0\0\0"),            false, 20, 5, 0,  LK_OK },
    { BYTES("\0\0\0\0\0"),            true,  40, 5, 0,  LK_OK },
    { BYTES("garbage\n\0\0"),         false, 20, 0, 10, LK_OK },
    { BYTES("\0\0garbage"),           false, 20, 2, 7,  LK_OK },
    { BYTES("x\x1F\x8B\x08"),         false, 20, 0, 4,  LK_OK },
    { BYTES("\x1F\x8C"),              false, 20, 0, 2,  LK_OK },
    { BYTES("\x1F"),                  false, 20, 0, 0,  LK_ETRUNC },
    { BYTES("\0\x1F"),                false, 20, 1, 0,  LK_ETRUNC },
    { BYTES("\x1F\x8B"),              false, 20, 0, 0,  LK_ETRUNC },
    { BYTES("\x1F\x8B\x08"),          false, 20, 0, 0,  LK_ETRUNC },
    { BYTES("\x1F\x8B\x09\0\0\0"),    false, 20, 0, 0,  LK_EDATA },
};
/* clang-format on */

TEST(gzip_counts_what_stands_behind_a_member)
{
    lk_buf text = { 0 }, member = { 0 };

    add_lines(&text, 20);
    add_member(&member, text.p, text.len, 0, NULL);
    for (size_t i = 0; i < ROWS(TAILS); i++)
        for (int piped = 0; piped < 2; piped++) {
            lk_buf gz = { 0 };
            reading r;

            lk_buf_add(&gz, member.p, member.len);
            lk_buf_add(&gz, TAILS[i].p, TAILS[i].len);
            lk_buf_add(&gz, member.p, TAILS[i].more ? member.len : 0);
            if (piped)
                read_piped(gz.p, gz.len, 1, 0, &r);
            else
                read_bytes(gz.p, gz.len, 0, &r);
            check(r.lines == TAILS[i].lines && r.cuts == 0, "row %zu: %ju lines", i,
                  (uintmax_t)r.lines);
            check(r.err.code == TAILS[i].code, "row %zu: %s", i, r.err.msg);
            check(r.stats.padding_bytes == TAILS[i].padding, "row %zu: %ju", i,
                  (uintmax_t)r.stats.padding_bytes);
            check(r.stats.trailing_bytes == TAILS[i].trailing, "row %zu: %ju", i,
                  (uintmax_t)r.stats.trailing_bytes);
            /* Behind damage a pipe is not read on: how much had come by then is its writer's affair. */
            if (piped && TAILS[i].code == LK_EDATA)
                check(r.stats.bytes > member.len && r.stats.bytes <= gz.len, "row %zu", i);
            else
                check(r.stats.bytes == gz.len, "row %zu", i);
            reading_release(&r);
            lk_buf_release(&gz);
        }
    lk_buf_release(&member);
    lk_buf_release(&text);
}

TEST(gzip_long_tails_are_counted_too)
{
    const size_t len = 3 << 20;
    lk_buf gz = { 0 };
    reading r;

    add_member(&gz, "a\n", 2, 0, NULL);
    lk_buf_fill(&gz, '\0', len);
    lk_buf_fill(&gz, 'x', len);
    read_bytes(gz.p, gz.len, 0, &r);
    check(r.end == LK_STEP_END && r.lines == 1, "%s", r.err.msg);
    check(r.stats.padding_bytes == len && r.stats.trailing_bytes == len, "%ju",
          (uintmax_t)r.stats.padding_bytes);
    reading_release(&r);
    lk_buf_release(&gz);
}

/* The magic of the second member is gone: what stood before it ends in the middle of a line. */
TEST(gzip_half_line_before_foreign_bytes_is_cut)
{
    packed p = pack_two(40, 0);
    reading r;

    p.gz.p[p.second] = 'x';
    read_bytes(p.gz.p, p.gz.len, 0, &r);
    check(r.end == LK_STEP_END && r.cuts == 1 && r.text.len + r.half.len == p.edge, "%s",
          r.err.msg);
    check(
        r.stats.trailing_bytes == p.gz.len - p.second && starts_with(&p.text, r.text.p, r.text.len),
        "%ju", (uintmax_t)r.stats.trailing_bytes);
    reading_release(&r);
    unpack(&p);
}

TEST(gzip_many_empty_members)
{
    lk_buf gz = { 0 };
    reading r;

    for (int i = 0; i < 3000; i++)
        add_member(&gz, "", 0, 0, NULL);
    add_member(&gz, "a", 1, 0, NULL);
    read_bytes(gz.p, gz.len, 0, &r);
    check(r.end == LK_STEP_END && r.lines == 1, "%s", r.err.msg);
    assert_string_equal(r.text.p, "a\n");
    reading_release(&r);
    lk_buf_release(&gz);
}

/* ---- real cases ----------------------------------------------------------------------------- */

/* clang-format off */
static const struct {
    const char *path;
    uint64_t lines, cuts;
    lk_code code;
    const char *msg;
} REAL[] = {
    { "testdata/input/11-gz-two-members.log.gz", 7, 0, LK_OK,
      "" },
    { "testdata/input/12-gz-truncated.log.gz", 2653, 1, LK_ETRUNC,
      "gzip stream is cut short at byte 24892" },
    { "testdata/input/14-gz-corrupt-middle.log.gz", 3897, 1, LK_EDATA,
      "checksum of the gzip member that starts at byte 0 does not match: its lines are not to be "
      "trusted (lines 1 to 3898)" },
};
/* clang-format on */

TEST(gzip_of_real_cases)
{
    for (size_t i = 0; i < ROWS(REAL); i++) {
        reading r;

        read_path(REAL[i].path, 0, &r);
        check(r.lines == REAL[i].lines && r.cuts == REAL[i].cuts, "%s: %ju lines", REAL[i].path,
              (uintmax_t)r.lines);
        check(r.err.code == REAL[i].code, "%s: %s", REAL[i].path, r.err.msg);
        assert_string_equal(r.err.msg, REAL[i].msg);
        assert_string_equal(r.err.file, REAL[i].code == LK_OK ? "" : REAL[i].path);
        check(r.stats.truncated == (REAL[i].code == LK_ETRUNC), "%s", REAL[i].path);
        reading_release(&r);
    }
}

TESTS(T(gzip_members_may_meet_in_a_line), T(gzip_gives_the_same_through_any_pipe),
      T(gzip_block_by_block_is_what_zlib_gives), T(gzip_every_prefix_gives_what_inflates),
      T(gzip_prefix_of_a_large_file), T(gzip_delivers_more_of_a_longer_prefix),
      T(gzip_every_flipped_bit_is_an_error_or_harmless),
      T(gzip_gives_no_line_of_a_block_that_is_damaged), T(gzip_holds_back_4_MiB_and_no_more),
      T(gzip_damage_in_a_large_file_is_what_a_pipe_shows),
      T(gzip_strict_gives_what_a_check_vouches_for), T(gzip_strict_leaves_pipes_as_they_are),
      T(gzip_says_which_check_failed_and_where), T(gzip_reads_every_header_field),
      T(gzip_bare_headers), T(gzip_counts_what_stands_behind_a_member),
      T(gzip_long_tails_are_counted_too), T(gzip_half_line_before_foreign_bytes_is_cut),
      T(gzip_many_empty_members), T(gzip_of_real_cases))
