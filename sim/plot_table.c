/* plot_table.c - a table as gnuplot is to read it */
#define _GNU_SOURCE
#include "sim/plot_table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "traces/traces_internal.h"

#define PIECE_BYTES ((size_t)64 << 10)

/* Lines end outside of quotes. */
static bool is_end_of_line(char byte, bool quoted)
{
    return !quoted && (byte == '\n' || byte == '\r');
}

/* Replace control characters in fields; true if there are any.  `quoted`: the
   text goes on within quotes. */
static bool clean(char *text, size_t bytes, bool *quoted)
{
    bool found = false;
    for (size_t i = 0; i < bytes; i++) {
        *quoted ^= text[i] == '"';
        if (!margay_is_control(text[i]) || is_end_of_line(text[i], *quoted))
            continue;
        text[i] = '?';
        found = true;
    }
    return found;
}

/* Clean what the file holds on its way to `copy`, or nowhere (NULL). */
static bool clean_file(FILE *file, FILE *copy)
{
    char piece[PIECE_BYTES];
    bool quoted = false, found = false;
    size_t bytes;
    rewind(file);
    while ((bytes = fread(piece, 1, sizeof piece, file)) > 0) {
        found |= clean(piece, bytes, &quoted);
        if (copy != NULL)
            fwrite(piece, 1, bytes, copy);
    }
    return found;
}

/* In memory, as long as this process lives. */
static enum margay_status make_copy(FILE *file, const char *path, char **name,
                                    struct margay_error *error)
{
    int descriptor = memfd_create("margay-plot", 0);
    FILE *copy = descriptor < 0 ? NULL : fdopen(dup(descriptor), "w");
    enum margay_status status = MARGAY_OK;
    if (copy != NULL)
        clean_file(file, copy);
    bool written = copy != NULL && !ferror(copy);
    if ((copy != NULL && fclose(copy) != 0) || !written)
        status = margay_fail(error, MARGAY_IO, "%s: cannot copy: %s", path,
                             strerror(errno));
    else if (asprintf(name, "/proc/self/fd/%d", descriptor) < 0)
        status = margay_fail_memory(error, "gnuplot's arguments");
    if (status != MARGAY_OK && descriptor >= 0)
        close(descriptor);
    return status;
}

static bool has_control(const char *text)
{
    while (*text != '\0' && !margay_is_control(*text))
        text++;
    return *text != '\0';
}

enum margay_status plot_table_clean(const char *path, char **name,
                                    struct margay_error *error)
{
    FILE *file = fopen(path, "re");
    *name = NULL;
    if (file == NULL)
        return margay_fail(error, MARGAY_IO, "%s: %s", path, strerror(errno));
    bool found = clean_file(file, NULL) || has_control(path);
    enum margay_status status =
        found ? make_copy(file, path, name, error) : MARGAY_OK;
    fclose(file);
    return status;
}
