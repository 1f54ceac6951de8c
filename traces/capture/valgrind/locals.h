/*
 * locals.h - variables of a thread, where threads have no storage of their own
 *
 * A tool of Valgrind runs all threads of a program in turns, on memory that
 * they share.  Each file of the recorder is compiled with this one in front: a
 * variable of a thread lies in a section, which cursors.c puts aside whenever
 * another thread runs.
 */
#ifndef MARGAY_TRACES_CAPTURE_VALGRIND_LOCALS_H
#define MARGAY_TRACES_CAPTURE_VALGRIND_LOCALS_H

#define __thread __attribute__((section("margay_locals")))
#define tls_model(model) unused

#endif
