/*
 * objects_parts.h - a command with --objects, as its files see it
 *
 * objects.c is the command, objects_options.c what it makes of its options,
 * objects_tables.c its tables, and objects_answers.c its answers in words.
 */
#ifndef MARGAY_SIM_COMMAND_OBJECTS_PARTS_H
#define MARGAY_SIM_COMMAND_OBJECTS_PARTS_H

#include "sim/command/curve_parts.h"
#include "sim/command/drive.h"

/* A command with --objects: its table, and the histogram beside a curve. */
struct objects {
    const struct options *options;
    struct margay_objects_options engine;
    struct margay_sizes sizes; /* in bytes; the list is owned */
    bool draws;                /* a curve, */
    bool counts;               /* a histogram, */
    bool lists;                /* or a row for each reference */
    struct curve_tables tables;
};

/* Make the engine's options and the sizes; MARGAY_BAD_ARGUMENT where an option
   makes no sense for objects. */
enum margay_status objects_prepare(struct objects *objects,
                                   struct margay_error *error);

/* Are there questions whose answers look at every size, and not only at those
   of the table? */
bool objects_asks_for_words(const struct options *options);

/* The rows of one pass, behind their key. */
enum margay_status objects_curve_rows(struct objects *objects,
                                      struct csv_writer *csv,
                                      const margay_consumer *consumer,
                                      struct margay_error *error);
enum margay_status objects_histogram_rows(struct objects *objects,
                                          struct csv_writer *csv,
                                          const struct margay_pass *pass,
                                          const margay_objects *engine,
                                          struct margay_error *error);

/* The curve in the text format of Prometheus. */
enum margay_status objects_write_prometheus(struct objects *objects,
                                            struct output *output,
                                            const struct margay_job *job,
                                            struct margay_error *error);

/* Say, once the command has succeeded and even with --quiet, where a hundredth
   of the requests have sizes that change, or none. */
void objects_warn(const struct margay_job *job, const margay_objects *engine);

/* A line for people. */
void objects_summarise(const struct margay_job *job,
                       const struct margay_pass *pass,
                       const margay_objects *engine,
                       const struct margay_objects_options *options);

/* Answer --at-most, --at-most-bytes and --knees. */
enum margay_status objects_answer(struct objects *objects,
                                  const struct margay_pass *pass,
                                  const margay_objects *engine,
                                  struct margay_error *error);

#endif
