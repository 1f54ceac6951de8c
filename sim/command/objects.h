/*
 * objects.h - curve, histogram and distances of objects with sizes
 *
 * What --objects makes of these commands: caches and distances in bytes.
 */
#ifndef MARGAY_SIM_COMMAND_OBJECTS_H
#define MARGAY_SIM_COMMAND_OBJECTS_H

#include "sim/command/drive.h"

/* Each is its command with --objects, and returns the exit status. */
int objects_curve(const struct options *options);
int objects_histogram(const struct options *options);
int objects_distances(const struct options *options);

/* MARGAY_BAD_ARGUMENT where an option is given that is for --objects alone. */
enum margay_status objects_refuse(const struct options *options,
                                  struct margay_error *error);

/* The consumer behind the engine in distances; see cmd_distances.c. */
enum margay_status distances_open(void *context, margay_consumer **consumer,
                                  struct margay_error *error);

#endif
