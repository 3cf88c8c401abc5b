/* What a program of one's own does with the library: analyse a log, say the verdict, keep the JSON.
 *
 *     cc example.c $(pkg-config --cflags --libs lockstep) -o example && ./example access.log.gz
 */
#include <lockstep/lockstep.h>

#include <stdio.h>

static int print_report(const lockstep_report *report)
{
    lockstep_style style = LOCKSTEP_STYLE_INIT;
    lockstep_error error = { 0 };
    char *text;
    size_t len;

    if (lockstep_render(report, "json", &style, &text, &len, &error) != 0) {
        (void)fprintf(stderr, "%s\n", error.message);
        return error.status;
    }
    (void)fwrite(text, 1, len, stdout);
    lockstep_text_free(text);
    return 0;
}

int main(int argc, char **argv)
{
    lockstep_options options = LOCKSTEP_OPTIONS_INIT;
    lockstep_error error = { 0 };
    lockstep_report *report = NULL;
    int status;

    options.files = (const char *const *)(argv + 1);
    options.file_count = (size_t)(argc - 1);
    status = lockstep_analyze(&options, &report, &error);
    if (status != 0)
        (void)fprintf(stderr, "%s\n", error.message);
    if (report && status == 0)
        status = print_report(report);
    lockstep_report_free(report);
    return status;
}
