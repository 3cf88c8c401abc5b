/* What holds for every compression alike, with zlib and the libraries that were there at build time
 * as the writers. */
#include "reading.h"

#include "input/codec.h"

#ifdef LK_HAVE_ZSTD
#include <zstd.h>
#endif
#ifdef LK_HAVE_XZ
#include <lzma.h>
#endif
#ifdef LK_HAVE_BZIP2
#include <bzlib.h>
#endif

#define BYTES(literal) (literal), sizeof(literal) - 1

enum { PACKED_MAX = 1 << 20 };

static void add_gzip(lk_buf *out, const char *p, size_t len)
{
    add_member(out, p, len, 0, NULL);
}

#ifdef LK_HAVE_ZSTD
static void add_zstd(lk_buf *out, const char *p, size_t len)
{
    ZSTD_CCtx *z = ZSTD_createCCtx();
    char *some = malloc(PACKED_MAX);
    size_t n;

    check(z && some, "no memory");
    (void)ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
    n = ZSTD_compress2(z, some, PACKED_MAX, p, len);
    check(!ZSTD_isError(n), "%s", ZSTD_getErrorName(n));
    lk_buf_add(out, some, n);
    (void)ZSTD_freeCCtx(z);
    free(some);
}
#endif

#ifdef LK_HAVE_XZ
static void add_xz(lk_buf *out, const char *p, size_t len)
{
    uint8_t *some = malloc(PACKED_MAX);
    size_t n = 0;

    check(some != NULL, "no memory");
    check(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC64, NULL, (const uint8_t *)p, len, some, &n,
                                  PACKED_MAX) == LZMA_OK,
          "no xz");
    lk_buf_add(out, (char *)some, n);
    free(some);
}
#endif

#ifdef LK_HAVE_BZIP2
static void add_bzip2(lk_buf *out, const char *p, size_t len)
{
    unsigned n = PACKED_MAX;
    char *some = malloc(PACKED_MAX);

    check(some != NULL, "no memory");
    check(BZ2_bzBuffToBuffCompress(some, &n, (char *)(uintptr_t)p, (unsigned)len, 1, 0, 0) ==
              BZ_OK,
          "no bzip2");
    lk_buf_add(out, some, n);
    free(some);
}
#endif

/* clang-format off */
static const struct { const char *name; void (*add)(lk_buf *out, const char *p, size_t len); } WRITERS[] = {
    { "gzip", add_gzip },
#ifdef LK_HAVE_ZSTD
    { "zstd", add_zstd },
#endif
#ifdef LK_HAVE_XZ
    { "xz", add_xz },
#endif
#ifdef LK_HAVE_BZIP2
    { "bzip2", add_bzip2 },
#endif
};
/* clang-format on */

/* Two members with the edge in a line. */
typedef struct packed {
    lk_buf text, file;
    size_t edge, second; /* in text, in file */
} packed;

static packed pack(size_t writer, unsigned lines)
{
    packed p = { .edge = 0 };

    add_lines(&p.text, lines);
    p.edge = p.text.len / 2;
    while (p.text.p[p.edge - 1] == '\n' || p.text.p[p.edge] == '\n')
        p.edge++;
    WRITERS[writer].add(&p.file, p.text.p, p.edge);
    p.second = p.file.len;
    WRITERS[writer].add(&p.file, p.text.p + p.edge, p.text.len - p.edge);
    return p;
}

static void unpack(packed *p)
{
    lk_buf_release(&p->text);
    lk_buf_release(&p->file);
}

TEST(codecs_give_the_same_from_files_and_pipes)
{
    static const unsigned LINES[] = { 1, 14, 20000 };

    for (size_t w = 0; w < ROWS(WRITERS); w++)
        for (size_t i = 0; i < ROWS(LINES); i++) {
            packed p = pack(w, LINES[i]);
            reading r;

            read_bytes(p.file.p, p.file.len, 0, &r);
            check(r.end == LK_STEP_END && same_buf(&r.text, &p.text), "%s: %s", WRITERS[w].name,
                  r.err.msg);
            check(strcmp(r.stats.compression, WRITERS[w].name) == 0, "%s", r.stats.compression);
            check(r.stats.bytes == p.file.len && r.stats.bytes_out == p.text.len, "%s: %ju",
                  WRITERS[w].name, (uintmax_t)r.stats.bytes_out);
            check(r.stats.padding_bytes + r.stats.trailing_bytes == 0, "%s", WRITERS[w].name);
            reading_release(&r);
            for (size_t step = p.file.len > 4096 ? 511 : 1; step < p.file.len; step *= 5) {
                read_piped(p.file.p, p.file.len, step, 0, &r);
                check(r.end == LK_STEP_END && same_buf(&r.text, &p.text), "%s, step %zu: %s",
                      WRITERS[w].name, step, r.err.msg);
                reading_release(&r);
            }
            read_replayed(p.file.p, p.file.len, 1000, 3, 0, &r);
            check(r.end == LK_STEP_END && same_buf(&r.text, &p.text), "%s: %s", WRITERS[w].name,
                  r.err.msg);
            reading_release(&r);
            unpack(&p);
        }
}

/* ---- cut short ------------------------------------------------------------------------------ */

static void check_prefix(size_t w, const packed *p, size_t len)
{
    const bool whole = len == p->second || len == p->file.len;
    char want[64];
    reading r;

    read_bytes(p->file.p, len, 0, &r);
    (void)snprintf(want, sizeof(want), "%s stream is cut short at byte %zu", WRITERS[w].name, len);
    check(starts_with(&p->text, r.text.p, r.text.len > 0 ? r.text.len - (len == p->second) : 0),
          "%s, prefix %zu: other lines", WRITERS[w].name, len);
    check(whole ? r.end == LK_STEP_END : r.err.code == LK_ETRUNC && strcmp(r.err.msg, want) == 0,
          "%s, prefix %zu: '%s'", WRITERS[w].name, len, r.err.msg);
    check(r.stats.truncated == !whole, "%s, prefix %zu", WRITERS[w].name, len);
    check(len < p->second || r.stats.bytes_out >= p->edge, "%s, prefix %zu: lines lost",
          WRITERS[w].name, len);
    reading_release(&r);
}

TEST(codecs_every_prefix_gives_what_unpacks)
{
    for (size_t w = 0; w < ROWS(WRITERS); w++) {
        packed p = pack(w, 30);

        /* less than the magic is no compressed file */
        for (size_t len = 10; len <= p.file.len; len++)
            check_prefix(w, &p, len);
        unpack(&p);
    }
}

TEST(codecs_give_what_stood_before_the_cut)
{
    for (size_t w = 0; w < ROWS(WRITERS); w++) {
        packed p = pack(w, 20000); /* bzip2: blocks of 100 kB; zstd: of 128 KiB */
        reading r;

        read_bytes(p.file.p, p.second - 20, 0, &r);
        check(r.err.code == LK_ETRUNC && starts_with(&p.text, r.text.p, r.text.len), "%s: %s",
              WRITERS[w].name, r.err.msg);
        check(r.text.len + (128 << 10) >= p.edge, "%s: %zu of %zu bytes", WRITERS[w].name,
              r.text.len, p.edge);
        reading_release(&r);
        unpack(&p);
    }
}

/* ---- damage --------------------------------------------------------------------------------- */

/* A flipped bit is an error, or harms no line. */
static void check_flip(size_t w, const packed *p, size_t at, const reading *r)
{
    if (r->end == LK_STEP_FAIL) {
        check(r->err.code == LK_EDATA || r->err.code == LK_ETRUNC, "%s, byte %zu: %s",
              WRITERS[w].name, at, r->err.msg);
        check(strstr(r->err.msg, WRITERS[w].name) && strstr(r->err.msg, "byte"), "%s, byte %zu: %s",
              WRITERS[w].name, at, r->err.msg);
        check(at < p->second || r->text.len + r->half.len >= p->edge, "%s, byte %zu: lines lost",
              WRITERS[w].name, at);
        return;
    }
    check(starts_with(&p->text, r->text.p, r->text.len), "%s, byte %zu: other lines",
          WRITERS[w].name, at);
    check(r->stats.trailing_bytes > 0 || same_buf(&r->text, &p->text), "%s, byte %zu: lines lost",
          WRITERS[w].name, at);
}

TEST(codecs_every_flipped_bit_is_an_error_or_harmless)
{
    for (size_t w = 1; w < ROWS(WRITERS); w++) { /* gzip: test_gzip */
        packed p = pack(w, 14);
        unsigned errors = 0;

        for (size_t at = 10; at < p.file.len; at++) /* before that it is nothing compressed */
            for (int bit = 0; bit < 8; bit += 1 + (int)at % 3) {
                reading r;

                p.file.p[at] = (char)(p.file.p[at] ^ (1 << bit));
                read_bytes(p.file.p, p.file.len, 0, &r);
                check_flip(w, &p, at, &r);
                errors += r.end == LK_STEP_FAIL;
                reading_release(&r);
                p.file.p[at] = (char)(p.file.p[at] ^ (1 << bit));
            }
        check(errors > p.file.len, "%s: %u", WRITERS[w].name, errors);
        unpack(&p);
    }
}

/* Changes one byte so far from the end and gives the message. */
static void damage(size_t w, size_t from_end, char msg[300])
{
    packed p = pack(w, 14);
    reading r;

    p.file.p[p.second - from_end] ^= 0x10;
    read_bytes(p.file.p, p.file.len, 0, &r);
    check(r.err.code == LK_EDATA && !r.stats.truncated, "%s: %s", WRITERS[w].name, r.err.msg);
    (void)snprintf(msg, 300, "%s", r.err.msg);
    reading_release(&r);
    unpack(&p);
}

TEST(codecs_name_what_only_a_checksum_shows)
{
    static const struct {
        const char *name;
        size_t from_end;
        const char *want;
    } ROWS_OF[] = {
        { "gzip", 8, "checksum of the gzip member that starts at byte 0 does not match: its lines" },
        { "zstd", 1, "checksum of the zstd frame that starts at byte 0 does not match: its lines" },
        { "xz", 50, "xz stream is damaged at byte " },
    };
    char msg[300];

    for (size_t w = 0; w < ROWS(WRITERS); w++)
        for (size_t i = 0; i < ROWS(ROWS_OF); i++)
            if (strcmp(ROWS_OF[i].name, WRITERS[w].name) == 0) {
                damage(w, ROWS_OF[i].from_end, msg);
                check(strstr(msg, ROWS_OF[i].want), "%s", msg);
            }
}

#ifdef LK_HAVE_BZIP2
TEST(codecs_bzip2_gives_no_line_of_a_block_whose_checksum_is_wrong)
{
    lk_buf text = { 0 }, file = { 0 };
    reading r;

    add_lines(&text, 20);
    add_bzip2(&file, text.p, text.len);
    file.p[10] ^= 1; /* of the first block's own */
    read_bytes(file.p, file.len, 0, &r);
    check(r.err.code == LK_EDATA && r.stats.bytes_out == 0, "%ju", (uintmax_t)r.stats.bytes_out);
    check(strstr(r.err.msg, "the checksum of a block does not match"), "%s", r.err.msg);
    reading_release(&r);
    lk_buf_release(&file);
    lk_buf_release(&text);
}
#define BZIP2_TESTS T(codecs_bzip2_gives_no_line_of_a_block_whose_checksum_is_wrong),
#else
#define BZIP2_TESTS
#endif

/* ---- what stands behind --------------------------------------------------------------------- */

/* clang-format off */
static const struct { const char *p; size_t len; uint64_t padding, trailing; lk_code code; const char *msg; } TAILS[] = {
    { BYTES("\0"),                      1, 0,  LK_OK, NULL },
    { BYTES("\0\0\0\0\0\0\0\0"),        8, 0,  LK_OK, NULL },
    { BYTES("garbage"),                 0, 7,  LK_OK, NULL },
    { BYTES("\0\0garbage\n\1"),         2, 9,  LK_OK, NULL },
    { BYTES("\x04\x22\x4D\x18\x64"),    0, 0,  LK_EDATA, "lz4 is not read; use: lz4 -dc FILE | lockstep analyze -" },
};
/* clang-format on */

TEST(codecs_count_what_stands_behind)
{
    for (size_t w = 0; w < ROWS(WRITERS); w++)
        for (size_t i = 0; i < ROWS(TAILS); i++) {
            packed p = pack(w, 20);
            const size_t len = p.file.len;
            reading r;

            lk_buf_add(&p.file, TAILS[i].p, TAILS[i].len);
            read_bytes(p.file.p, p.file.len, 0, &r);
            check(same_buf(&r.text, &p.text), "%s, row %zu", WRITERS[w].name, i);
            check(r.err.code == TAILS[i].code, "%s, row %zu: %s", WRITERS[w].name, i, r.err.msg);
            check(!TAILS[i].msg || strcmp(TAILS[i].msg, r.err.msg) == 0, "%s", r.err.msg);
            check(r.stats.padding_bytes == TAILS[i].padding, "%s, row %zu", WRITERS[w].name, i);
            check(r.stats.trailing_bytes == TAILS[i].trailing, "%s, row %zu", WRITERS[w].name, i);
            check(TAILS[i].trailing == 0 || r.stats.trailing_at == len + TAILS[i].padding,
                  "%s, row %zu: %ju", WRITERS[w].name, i, (uintmax_t)r.stats.trailing_at);
            reading_release(&r);
            unpack(&p);
        }
}

/* Each compression behind each other one, with and without padding, and text at the end. */
TEST(codecs_go_on_where_another_begins)
{
    for (size_t a = 0; a < ROWS(WRITERS); a++)
        for (size_t b = 0; b < ROWS(WRITERS); b++)
            for (size_t padding = 0; padding < 4; padding += 3) {
                packed p = pack(a, 20), q = pack(b, 30);
                reading r;

                lk_buf_fill(&p.file, '\0', padding);
                lk_buf_add(&p.file, q.file.p, q.file.len);
                lk_buf_add(&p.file, "plain\n", 6);
                lk_buf_add(&p.text, q.text.p, q.text.len);
                lk_buf_add(&p.text, "plain\n", 6);
                read_bytes(p.file.p, p.file.len, 0, &r);
                check(r.end == LK_STEP_END && same_buf(&r.text, &p.text), "%s, %s: %s",
                      WRITERS[a].name, WRITERS[b].name, r.err.msg);
                check(r.stats.padding_bytes == padding && r.stats.trailing_bytes == 0, "%s, %s",
                      WRITERS[a].name, WRITERS[b].name);
                check(strcmp(r.stats.compression, WRITERS[a].name) == 0, "%s", r.stats.compression);
                reading_release(&r);
                read_piped(p.file.p, p.file.len, 7, 0, &r);
                check(r.end == LK_STEP_END && same_buf(&r.text, &p.text), "%s, %s: %s",
                      WRITERS[a].name, WRITERS[b].name, r.err.msg);
                reading_release(&r);
                unpack(&p);
                unpack(&q);
            }
}

/* ---- archives ------------------------------------------------------------------------------- */

static void add_tar(lk_buf *out)
{
    char head[512] = "var/log/access.log";

    memcpy(head + 100, "0000644\0000001750\0000001750\00000000000144\00015000000000\0", 48);
    head[156] = '0';
    memcpy(head + 257, "ustar\00000", 8);
    lk_buf_add(out, head, sizeof(head));
    add_lines(out, 10);
    lk_buf_fill(out, '\0', 10240 - out->len);
}

TEST(codecs_name_a_tar_archive_whatever_it_is_packed_in)
{
    lk_buf tar = { 0 };
    reading r;

    add_tar(&tar);
    for (size_t w = 0; w <= ROWS(WRITERS); w++) {
        lk_buf file = { 0 };

        if (w < ROWS(WRITERS))
            WRITERS[w].add(&file, tar.p, tar.len);
        else
            lk_buf_add(&file, tar.p, tar.len);
        for (int piped = 0; piped < 2; piped++) {
            if (piped)
                read_piped(file.p, file.len, 100, 0, &r);
            else
                read_bytes(file.p, file.len, 0, &r);
            check(r.err.code == LK_EDATA && r.lines == 0, "row %zu: %ju lines", w,
                  (uintmax_t)r.lines);
            assert_string_equal(
                r.err.msg, "it is a tar archive; use: tar -xOf FILE | lockstep analyze -");
            reading_release(&r);
        }
        lk_buf_release(&file);
    }
    lk_buf_release(&tar);
}

/* ---- hostile sizes -------------------------------------------------------------------------- */

#ifdef LK_HAVE_ZSTD
TEST(codecs_zstd_takes_windows_of_128_MiB_and_no_larger)
{
    static const struct {
        const char *p;
        size_t len;
        lk_code code;
    } FRAMES[] = { /* a window, one last raw block of two bytes, no checksum */
        { BYTES("\x28\xB5\x2F\xFD\0\x88\x11\0\0a\n"), LK_OK },
        { BYTES("\x28\xB5\x2F\xFD\0\x90\x11\0\0a\n"), LK_EDATA },
        { BYTES("\x28\xB5\x2F\xFD\0\xF8\x11\0\0a\n"), LK_EDATA },
    };

    for (size_t i = 0; i < ROWS(FRAMES); i++) {
        reading r;

        read_bytes(FRAMES[i].p, FRAMES[i].len, 0, &r);
        check(r.err.code == FRAMES[i].code && r.lines == (r.err.code == LK_OK), "row %zu: %s", i,
              r.err.msg);
        check(r.err.code == LK_OK || strstr(r.err.msg, "window above 128 MiB; use: zstdcat --long"),
              "row %zu: %s", i, r.err.msg);
        reading_release(&r);
    }
}

TEST(codecs_zstd_passes_over_skippable_frames)
{
    lk_buf file = { 0 }, text = { 0 };
    reading r;

    add_lines(&text, 20);
    lk_buf_add(&file, "\x50\x2A\x4D\x18\4\0\0\0abcd", 12);
    add_zstd(&file, text.p, text.len);
    lk_buf_add(&file, "\x5F\x2A\x4D\x18\0\0\0\0", 8);
    read_bytes(file.p, file.len, 0, &r);
    check(r.end == LK_STEP_END && same_buf(&r.text, &text), "%s", r.err.msg);
    check(strcmp(r.stats.compression, "zstd") == 0 && r.stats.trailing_bytes == 0, "%s",
          r.stats.compression);
    reading_release(&r);
    lk_buf_release(&file);
    lk_buf_release(&text);
}
#define ZSTD_TESTS                                          \
    T(codecs_zstd_takes_windows_of_128_MiB_and_no_larger), \
        T(codecs_zstd_passes_over_skippable_frames),
#else
#define ZSTD_TESTS
#endif

#ifdef LK_HAVE_XZ
/* The headers of a stream whose dictionary has `size` bytes. */
static void add_xz_head(lk_buf *out, uint32_t size)
{
    lzma_stream_flags flags = { .version = 0, .check = LZMA_CHECK_CRC32 };
    lzma_options_lzma options;
    lzma_filter filters[] = { { LZMA_FILTER_LZMA2, &options }, { LZMA_VLI_UNKNOWN, NULL } };
    lzma_block block = { .version = 0,
                         .check = LZMA_CHECK_CRC32,
                         .filters = filters,
                         .compressed_size = LZMA_VLI_UNKNOWN,
                         .uncompressed_size = LZMA_VLI_UNKNOWN };
    uint8_t head[LZMA_STREAM_HEADER_SIZE + LZMA_BLOCK_HEADER_SIZE_MAX];

    check(!lzma_lzma_preset(&options, 0), "no preset");
    options.dict_size = size;
    check(lzma_stream_header_encode(&flags, head) == LZMA_OK, "no header");
    check(lzma_block_header_size(&block) == LZMA_OK &&
              lzma_block_header_encode(&block, head + LZMA_STREAM_HEADER_SIZE) == LZMA_OK,
          "no block header");
    lk_buf_add(out, (char *)head, LZMA_STREAM_HEADER_SIZE + block.header_size);
}

TEST(codecs_xz_takes_dictionaries_up_to_its_bound)
{
    static const struct {
        uint32_t mib;
        lk_code code;
    } SIZES[] = { { 1, LK_ETRUNC }, { 64, LK_ETRUNC }, { 192, LK_EDATA }, { 1536, LK_EDATA } };

    for (size_t i = 0; i < ROWS(SIZES); i++) {
        lk_buf file = { 0 };
        reading r;

        add_xz_head(&file, SIZES[i].mib << 20);
        read_bytes(file.p, file.len, 0, &r);
        check(r.err.code == SIZES[i].code, "%u MiB: %s", SIZES[i].mib, r.err.msg);
        check(r.err.code == LK_ETRUNC || strstr(r.err.msg, "needs more than 128 MiB; use: xzcat"),
              "%u MiB: %s", SIZES[i].mib, r.err.msg);
        reading_release(&r);
        lk_buf_release(&file);
    }
}
#define XZ_TESTS T(codecs_xz_takes_dictionaries_up_to_its_bound),
#else
#define XZ_TESTS
#endif

TESTS(BZIP2_TESTS ZSTD_TESTS XZ_TESTS T(codecs_give_the_same_from_files_and_pipes),
      T(codecs_every_prefix_gives_what_unpacks), T(codecs_give_what_stood_before_the_cut),
      T(codecs_every_flipped_bit_is_an_error_or_harmless),
      T(codecs_name_what_only_a_checksum_shows), T(codecs_count_what_stands_behind),
      T(codecs_go_on_where_another_begins),
      T(codecs_name_a_tar_archive_whatever_it_is_packed_in))
