/*
 * touch.h - programs that print their own data references
 *
 * AT(x) is x, and prints where it is: a program whose data are all read and
 * written as AT(data) leaves a trace of u64 addresses on standard output.
 * The data come from one region, whose addresses count from 0 on, so that
 * every run of a program prints the same trace.
 */
#ifndef MARGAY_TESTS_PREDICTION_TOUCH_H
#define MARGAY_TESTS_PREDICTION_TOUCH_H

#include <stddef.h>
#include <stdint.h>

#define AT(x) (*(__typeof__(x) *)touch(&(x)))

/* Print the address of one element of the region, and return it. */
void *touch(const void *element);

/* Room for data, zeroed, at a multiple of 64; ends the program where there is
   no more. */
void *make_room(size_t count, size_t element_bytes);

/* A number in [0, limit), the same ones in every run. */
uint64_t draw(uint64_t limit);

/* A program works on `size` elements, or on what that is the data size of. */
typedef void program(uint64_t size);

program run_lu, run_spmv, run_nbody, run_sp;
program run_quicksort, run_mergesort, run_heapsort;
program run_tree, run_hash, run_search;
program run_lisp;

#endif
