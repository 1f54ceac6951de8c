/* table.c - the table of formats, and functions on its rows */
#include <string.h>

#include "traces/base/error.h"
#include "traces/base/nearest.h"
#include "traces/formats/format.h"

/* If neither content nor file name decides, the first row that fits wins: four
   decimal numbers are arc rather than din. */
static const struct margay_format *const formats[] = {
    &margay_format_lackey,   &margay_format_ls,
    &margay_format_id,       &margay_format_hex,
    &margay_format_arc,      &margay_format_din,
    &margay_format_lines,    &margay_format_blkparse,
    &margay_format_redis,    &margay_format_csv,
    &margay_format_u32,      &margay_format_u64,
    &margay_format_u32be,    &margay_format_u64be,
    &margay_format_oracle,   &margay_format_vscsi,
    &margay_format_words,    &margay_format_mgt,
    &margay_format_lcs,      &margay_format_pinatrace,
    &margay_format_xdin,     &margay_format_perf_script,
    &margay_format_champsim, &margay_format_drmemtrace,
    &margay_format_gem5,     &margay_format_mooncake,
    &margay_format_fio,      &margay_format_strace,
    &margay_format_filemap,  &margay_format_ramulator,
};
#define FORMATS (sizeof formats / sizeof formats[0])

/* After these come the layouts. */
const struct margay_format *margay_format_row(size_t index)
{
    return index < FORMATS ? formats[index]
                           : margay_layout_row(index - FORMATS);
}

/* The names of all formats, or of those that can be written. */
static const char *name_at(size_t index, const void *to_write)
{
    const struct margay_format *row;
    for (size_t i = 0; (row = margay_format_row(i)) != NULL; i++) {
        if ((row->info.writable || !*(const bool *)to_write) && index-- == 0)
            return row->info.name;
    }
    return NULL;
}

enum margay_status margay_format_find(const char *name, bool to_write,
                                      const struct margay_format **format,
                                      struct margay_error *error)
{
    char names[128];
    size_t i = 0;
    while ((*format = margay_format_row(i)) != NULL &&
           strcmp((*format)->info.name, name) != 0)
        i++;
    if (*format != NULL && ((*format)->info.writable || !to_write))
        return MARGAY_OK;
    const char *nearest = margay_nearest(name, name_at, &to_write);
    if (*format == NULL && nearest != NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "no format '%s'%s (did you mean '%s'?)%s", name,
                           to_write ? " to write" : "", nearest,
                           to_write ? "" : "; " MARGAY_LISTS_FORMATS);
    if (!to_write)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "no format '%s'; " MARGAY_LISTS_FORMATS, name);
    margay_list_names(name_at, &to_write, names, sizeof names);
    return margay_fail(error, MARGAY_BAD_ARGUMENT,
                       *format == NULL
                           ? "no format '%s' to write, expected one of %s"
                           : "the format '%s' can be read, but not written; "
                             "these can: %s",
                       name, names);
}

size_t margay_format_count(void)
{
    size_t count = FORMATS;
    while (margay_format_row(count) != NULL)
        count++;
    return count;
}

const struct margay_format_info *margay_format_at(size_t index)
{
    const struct margay_format *row = margay_format_row(index);
    return row == NULL ? NULL : &row->info;
}

const char *margay_column_name(enum margay_column column)
{
#define MARGAY_COLUMN(name, NAME, bit, type, words) \
    if (column == MARGAY_COLUMN_##NAME)             \
        return words;
#include <margay/columns.def>
    return NULL;
}

enum margay_status margay_record_encode(const struct margay_format *row,
                                        uint64_t number, enum margay_kind kind,
                                        uint32_t extent, char *record,
                                        size_t *bytes,
                                        struct margay_error *error)
{
    *bytes = row->encode(record, number, kind, extent);
    if (*bytes == 0)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "number %llu (extent %u) does not fit the %u bytes "
                           "of a %s record",
                           (unsigned long long)number, (unsigned)extent,
                           row->record_bytes, row->info.name);
    return MARGAY_OK;
}

enum margay_status margay_format_encode(const struct margay_format_info *format,
                                        uint64_t number, enum margay_kind kind,
                                        uint32_t extent, char *record,
                                        size_t *bytes,
                                        struct margay_error *error)
{
    const struct margay_format *row = NULL;
    if (format != NULL)
        margay_format_find(format->name, true, &row, NULL);
    if (row == NULL || row->encode == NULL)
        return margay_fail(error, MARGAY_BAD_ARGUMENT,
                           "format %s cannot be written",
                           format == NULL ? "(none)" : format->name);
    return margay_record_encode(row, number, kind, extent, record, bytes,
                                error);
}
