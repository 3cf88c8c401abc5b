/* Feeds each file named on the command line to a fuzz target, where there is no libFuzzer. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static size_t size_of(FILE *f)
{
    long end;

    if (fseek(f, 0, SEEK_END) != 0)
        return 0;
    end = ftell(f);
    rewind(f);
    return end > 0 ? (size_t)end : 0;
}

/* The bytes are exactly as long as the file, so that a sanitizer sees a read past them. */
static int replay(const char *path)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data = NULL;
    size_t len = 0;
    int bad = 1;

    if (!f)
        goto done;
    len = size_of(f);
    data = malloc(len > 0 ? len : 1);
    if (!data || fread(data, 1, len, f) != len)
        goto done;
    bad = LLVMFuzzerTestOneInput(data, len) != 0;
done:
    if (bad)
        (void)fprintf(stderr, "replay: failed on %s\n", path);
    free(data);
    if (f)
        (void)fclose(f);
    return bad;
}

int main(int argc, char **argv)
{
    int bad = 0;

    for (int i = 1; i < argc; i++)
        bad |= replay(argv[i]);
    return bad;
}
