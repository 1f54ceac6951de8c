/*
 * annotate.h - the source lines of sites, and the names of data
 *
 * Places, from an address in a program to the line of its source: the debug
 * information of a program or a library has it, also in a file of its own, for
 * inlined code, and for code that was loaded at any place.  Without that, the
 * symbols name the function; without those, the file is named.  This part is
 * optional: it needs elfutils' libdw.
 *
 * Data: a trace that was recorded with data has a datum for each reference
 * (traces/formats/data.h).  Data with one name, such as all elements of an
 * array, get one number, by which misses are counted.
 */
#ifndef MARGAY_SIM_ANNOTATE_ANNOTATE_H
#define MARGAY_SIM_ANNOTATE_ANNOTATE_H

#include <time.h>

#include <margay/status.h>
#include <margay/traces.h>

#include "sim/result/machine.h"

#ifdef MARGAY_HAS_LIBDW
#include <elfutils/libdwfl.h>
#endif

#define PLACE_FILE_BYTES     4096
#define PLACE_FUNCTION_BYTES 1024

/* Longer texts are cut. */
struct place {
    char file[PLACE_FILE_BYTES]; /* absolute if that is known; "" = unknown */
    unsigned line;               /* 0 = unknown */
    /* The innermost function, also if it was inlined; where the function is not
       known, "FILE+0xADDRESS", or the address alone. */
    char function[PLACE_FUNCTION_BYTES];
};

/* Write to `text`, cut to `bytes` bytes, the name in the source of a function
   or a variable of C++, `grid::fill(int)` for `_ZN4grid4fillEi`; false, and
   nothing is written, if the name is none of C++, or there is no library of
   it. */
bool demangle(const char *name, char *text, size_t bytes);

/* The files that are open to look addresses up. */
struct places;

/* The version of libdw; NULL = it is not there, or was not when this was
   built. */
const char *places_library_version(void);

/* Fails with MARGAY_BAD_ARGUMENT where libdw is not there, and with
   MARGAY_NO_MEMORY.  The caller owns *places. */
enum margay_status places_open(struct places **places,
                               struct margay_error *error);

/* MARGAY_NO_MEMORY if there was too little memory to find a place, a symbol or
   a variable, which then is unknown or another one. */
enum margay_status places_check(const struct places *places,
                                struct margay_error *error);

/* Keep a message about a file that could not be read, if there is one. */
void places_tell_unread(const struct places *places);

/* A file that was read and has changed after that time; NULL = none has. */
const char *places_changed_since(const struct places *places,
                                 const struct timespec *time);

/* Tell `take` the symbols of functions or of variables that a file defines,
   with their addresses as they stand in the file and their bytes; names stay
   while the places are open.  Returns the lowest address that is loaded. */
enum place_symbols { PLACE_FUNCTIONS, PLACE_VARIABLES };
uint64_t places_symbols(struct places *places, const char *path,
                        enum place_symbols which,
                        void (*take)(void *context, const char *name,
                                     uint64_t address, uint64_t bytes),
                        void *context);

#ifdef MARGAY_HAS_LIBDW
/* The functions of libdw, once places are open. */
extern struct margay_late places_libdw;
#define DWARF(name) MARGAY_LATE(&places_libdw, dwarf_##name)
#define DWFL(name)  MARGAY_LATE(&places_libdw, dwfl_##name)
/* Within this folder: the file in libdw, and the difference between its
   addresses and those in the file; NULL = it cannot be read, or there is no
   memory. */
Dwfl_Module *places_module(struct places *places, const char *path,
                           uint64_t *bias);
/* Between these two calls libdw may find less for lack of memory, which only
   errno shows; places_check() reports it. */
void places_begin(void);
void places_end(struct places *places);
/* Write the path of a source, which may be relative to the directory of the
   unit, to `path` of PLACE_FILE_BYTES. */
void places_put_source(Dwarf_Die *unit, const char *source, char *path);
/* A unit with its functions and variables, which may be in a file of its own
   (.dwo). */
Dwarf_Die places_whole_unit(Dwarf_Die *unit);
#endif

/* NULL is fine. */
void places_free(struct places *places);

/* The path of the file of code with that number; NULL = unknown.  `program` as
   below. */
const char *places_path(const margay_trace *trace, const char *program,
                        uint64_t module);

/* Find the place of a site, once the trace has been read.  `program` is the
   file of the program where the trace does not name it or it has moved; NULL =
   the trace names it. */
void places_find_site(struct places *places, const margay_trace *trace,
                      const char *program, uint64_t site, struct place *place);

/* Rows of SHARING_COLUMNS, those of each machine, with the lines of the sites
   of the trace; `places` of NULL names no lines.  Says which block has the most
   misses of false sharing, and of which lines.  MARGAY_NO_MEMORY. */
enum margay_status table_sharing(struct csv_writer *csv,
                                 const struct machine_results *results,
                                 const margay_trace *trace, const char *program,
                                 struct places *places,
                                 struct margay_error *error);

/* ---------------------------------------------------- misses of lines -- */

/* The most cache sizes of an annotation. */
#define ANNOTATION_SIZES 64

struct counted_line {
    const char *file;     /* "" = unknown */
    unsigned number;      /* 0 = unknown */
    const char *function; /* or the name of data */
    uint64_t references;
    uint64_t misses[]; /* at each size */
};

struct line_counts {
    uint64_t sizes[ANNOTATION_SIZES]; /* of caches, in blocks */
    size_t size_count;
    struct counted_line **list; /* owned, and so is each */
    size_t count, capacity;
};

/* Add references at a place, and their misses: a point for each size.
   MARGAY_NO_MEMORY. */
enum margay_status line_counts_add(struct line_counts *lines,
                                   const struct place *place,
                                   uint64_t references,
                                   const struct margay_point *points,
                                   struct margay_error *error);

/* Add up the counts of each place, and sort the lines by file, number and
   function. */
void line_counts_sort(struct line_counts *lines);

void line_counts_clear(struct line_counts *lines);

/* Write sorted lines as a profile in callgrind's format: an event for the
   misses at each size, and one for the references. */
void profile_write(struct output *output, const struct line_counts *lines,
                   const char *trace, uint64_t block_bytes);

/* ---------------------------------------------------------------- data -- */

struct data_names;

/* Begin with the data of a trace, which is ready, and whose files `places`
   reads; both outlive this.  `program` as in places_find_site().  Fails with
   MARGAY_NO_MEMORY.  The caller owns *names. */
enum margay_status data_names_create(struct places *places,
                                     const margay_trace *trace,
                                     const char *program,
                                     struct data_names **names,
                                     struct margay_error *error);

/* The number of a datum, the next one if it is new. */
uint32_t data_names_number(struct data_names *names, uint64_t datum);

/* Once the trace has been read: MARGAY_NO_MEMORY if numbers have become wrong
   for lack of memory; also more than 2^24 of them do not fit.  MARGAY_BAD_INPUT
   if the trace has named a file only after the references to its variables, as
   one does from a pipe. */
enum margay_status data_names_check(const struct data_names *names,
                                    const char *trace,
                                    struct margay_error *error);

/*
 * Find the name of the data with a number, as a place with the name as its
 * function, and the file and line of the declaration or allocation:
 *
 *     table               a variable
 *     heap of FUNCTION    memory that it has allocated
 *     stack of FUNCTION   its references to any stack
 *     other of FUNCTION   its references to anything else
 *
 * Variables that have no name are "data of FILE".
 */
void data_names_find(struct data_names *names, uint64_t number,
                     struct place *place);

/* NULL is fine. */
void data_names_free(struct data_names *names);

#endif
