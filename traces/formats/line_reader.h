/*
 * line_reader.h - the lines of a piece of a file, read without a thread
 *
 * For plain regular files of formats whose lines stand alone, or do so behind
 * the first rows of a table.
 */
#ifndef MARGAY_TRACES_FORMATS_LINE_READER_H
#define MARGAY_TRACES_FORMATS_LINE_READER_H

#include "traces/formats/reader.h"

struct margay_line_reader;

/* The lines whose first byte is one of [first, first + bytes), or of those up
   to the end of the file.  The reader, whose format is known, must outlive
   *lines, and any number of threads may read pieces of its file.  Fails with
   MARGAY_NO_MEMORY. */
enum margay_status margay_line_reader_create(const struct margay_reader *reader,
                                             uint64_t first, uint64_t bytes,
                                             struct margay_line_reader **lines,
                                             struct margay_error *error);

/* May pieces begin behind any newline?  Of a table, its first rows are read,
   and the rest is searched for quotes, unless there are none. */
bool margay_line_reader_may_cut(const struct margay_reader *reader);

/* NULL is fine. */
void margay_line_reader_free(struct margay_line_reader *lines);

/* Fill an empty batch.  MARGAY_END: there are no more references.  Fails with
   MARGAY_BAD_INPUT and the message of a reader of the whole file, or with
   MARGAY_IO. */
enum margay_status margay_line_reader_next(struct margay_line_reader *lines,
                                           struct margay_references *batch,
                                           struct margay_error *error);

#endif
