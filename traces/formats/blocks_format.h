/*
 * blocks_format.h - formats whose references come in blocks
 *
 * Such a format has neither lines nor records of fixed length, so it reads and
 * writes its bytes itself.
 */
#ifndef MARGAY_TRACES_FORMATS_BLOCKS_FORMAT_H
#define MARGAY_TRACES_FORMATS_BLOCKS_FORMAT_H

#include "traces/formats/input.h"

struct margay_data_event; /* data.h */
struct margay_data_map;
struct margay_modules; /* modules.h */
struct margay_words;   /* words.h */

/* Whether a file says how many references it holds, their number, and how many
   were skipped without reading. */
struct margay_skipped {
    bool known;
    uint64_t refs, skipped;
};

/* Where the bytes of a trace come from. */
struct margay_block_source {
    struct margay_intake *intake;
    const char *name, *format, *evidence; /* for messages */
    /* Gets the modules, where the format has a place for them; NULL = they are
       not wanted. */
    struct margay_modules *modules;
    /* Where this is not NULL, data (margay_data_map_name()) take the place of
       the sites of references, and nothing is skipped. */
    struct margay_data_map *data;
    /* Where this is not NULL, the tenants get numbers in it: the values of the
       field of this name. */
    struct margay_names *tenants;
    const char *tenant;
    bool empty_requests;  /* requests without blocks are wanted, too */
    uint64_t plain_bytes; /* of a plain regular file; 0 = it is none */
};

/* Copy the next `bytes` bytes, fewer only at the end, and read no further. *got
   says how many, with each status. */
enum margay_status margay_intake_copy(struct margay_intake *intake,
                                      void *buffer, size_t bytes, size_t *got,
                                      struct margay_error *error);

/* Hold `bytes` bytes, at most MARGAY_HELD_BYTES; fewer only at the end. */
enum margay_status margay_intake_hold(struct margay_intake *intake,
                                      size_t bytes, struct margay_error *error);

/* "found FOUND, expected EXPECTED" at a byte of the trace, at the next byte,
   and for the half record that is held.  All return MARGAY_BAD_INPUT. */
enum margay_status margay_source_fail_at(
    const struct margay_block_source *source, uint64_t offset,
    const char *found, const char *expected, struct margay_error *error);
enum margay_status margay_source_fail(const struct margay_block_source *source,
                                      const char *found, const char *expected,
                                      struct margay_error *error);
enum margay_status margay_source_fail_half(
    const struct margay_block_source *source, size_t record_bytes,
    struct margay_error *error);

struct margay_blocks_reading {
    /* The state of a reader is zeroed, and begins with its struct
       margay_block_source, which is set. */
    size_t state_bytes;

    /* Begin at the first byte. *facts holds the facts of the format, and gets
       those of this trace. */
    enum margay_status (*open)(void *state, struct margay_trace_facts *facts,
                               struct margay_error *error);
    /* Release what a state owns, also one that could not be opened; NULL =
       nothing. */
    void (*clear)(void *state);

    /* In a plain file with an index: give the number of references, and skip
       whole blocks, up to `skip_refs` references.  Where the number is not
       known, the call changes nothing.  NULL = they cannot be counted without
       reading. */
    enum margay_status (*skip)(void *state, uint64_t skip_refs,
                               struct margay_skipped *skipped,
                               struct margay_error *error);

    /* Append at least one reference, and then those that come without waiting
       for another block.  MARGAY_END: the trace has ended.  With each
       status, the references appended are right. */
    enum margay_status (*fill)(void *state, struct margay_references *batch,
                               struct margay_error *error);
};

/* Where the bytes of a trace go, and the facts that it is to state, which stay
   the same from the first reference on. */
struct margay_block_target {
    struct margay_sink sink;
    const struct margay_format *format;
    const struct margay_trace_facts *facts;
    const char *columns; /* of a table; NULL = its numbers */
    bool named;          /* which has a line of their names */
};

struct margay_blocks_writing {
    /* The state of a writer is zeroed, and begins with its struct
       margay_block_target, which is set. */
    size_t state_bytes;
    unsigned needs; /* columns without which a trace cannot be written */
    /* Allocate the contents of the state, and release them; NULL = none. */
    enum margay_status (*open)(void *state, struct margay_error *error);
    void (*clear)(void *state);

    enum margay_status (*put)(void *state, const struct margay_batch *batch,
                              struct margay_error *error);
    /* Name a module; NULL = the format has no place for modules. */
    enum margay_status (*set_module)(void *state, unsigned number,
                                     const char *path,
                                     struct margay_error *error);
    /* Write an event of data before the next references; its `at` is ignored.
       NULL = the format has no place for events. */
    enum margay_status (*put_data)(void *state,
                                   const struct margay_data_event *event,
                                   struct margay_error *error);
    /* Take recorded words as they are; NULL = the format cannot. */
    enum margay_status (*put_words)(void *state,
                                    const struct margay_words *words,
                                    struct margay_error *error);
    /* Hand over the buffered bytes; more may follow. */
    enum margay_status (*flush)(void *state, struct margay_error *error);
    enum margay_status (*finish)(void *state, struct margay_error *error);
};

/* In entries.c; the first writes each reference as the format's encoder does.
 */
extern const struct margay_blocks_writing margay_record_writing,
    margay_table_writing, margay_champsim_writing, margay_oracle_writing;

/* The names of the columns of a table. */
#define MARGAY_TABLE_NAMES \
    "id, address, size, time, ttl, op, kind, thread, site, cost and purpose"

/* The columns that a trace needs to become a table of these; *addresses: and
   its numbers have to be addresses. */
unsigned margay_table_needs(const char *columns, bool *addresses);

#endif
