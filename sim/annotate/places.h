/*
 * places.h - from an address in a program to the line of its source
 *
 * The debug information of a program or a library says it, also where that
 * stands in a file of its own, where the address is in code that was inlined,
 * and for code that was loaded at any place.  Without that, the symbols name
 * the function; without those, the file is named.
 *
 * This part is optional: it needs elfutils' libdw.
 */
#ifndef MARGAY_SIM_ANNOTATE_PLACES_H
#define MARGAY_SIM_ANNOTATE_PLACES_H

#include <stdint.h>
#include <time.h>

#include <margay/traces.h>

#ifdef MARGAY_HAS_LIBDW
#include <elfutils/libdwfl.h>
#endif

#include <margay/status.h>

#define PLACE_FILE_BYTES     4096
#define PLACE_FUNCTION_BYTES 1024

/* What is longer is cut. */
struct place {
    char file[PLACE_FILE_BYTES]; /* absolute if that is known; "" = unknown */
    unsigned line;               /* 0 = unknown */
    /* The innermost function, also if it was inlined; where the function is not
       known, "FILE+0xADDRESS", or the address alone. */
    char function[PLACE_FUNCTION_BYTES];
};

/* What has been opened to look addresses up. */
struct places;

/* The version of libdw; NULL = it is not there, or was not when this was built.
 */
const char *places_library_version(void);

/* Fails with MARGAY_BAD_ARGUMENT where libdw is not there, and with
   MARGAY_NO_MEMORY.  The caller owns *places. */
enum margay_status places_open(struct places **places,
                               struct margay_error *error);

/* Find an address as it stands in the file of that path; NULL = unknown.  A
   file that cannot be read or understood leaves the place unknown; such a file
   is found by places_unread(). */
void places_find(struct places *places, const char *path, uint64_t address,
                 struct place *place);

/* MARGAY_NO_MEMORY if there was too little memory to find a place, or a
   variable of places_module(), which then is unknown or another one. */
enum margay_status places_check(const struct places *places,
                                struct margay_error *error);

/* A file that could not be read, and why; NULL = all could. */
const char *places_unread(const struct places *places, const char **why);

/* A file that was read and has changed after that time; NULL = none has. */
const char *places_changed_since(const struct places *places,
                                 const struct timespec *time);

#ifdef MARGAY_HAS_LIBDW
/* The functions of libdw, once places are open. */
extern struct margay_late places_libdw;
#define DWARF(name) MARGAY_LATE(&places_libdw, dwarf_##name)
#define DWFL(name)  MARGAY_LATE(&places_libdw, dwfl_##name)
/* Within this folder: the file as libdw has it, and what is to be taken from an
   address there to get one in the file; NULL = it cannot be read, or there is
   no memory. */
Dwfl_Module *places_module(struct places *places, const char *path,
                           uint64_t *bias);
/* What libdw is asked between these two finds less where it has no memory,
   which errno says alone; places_check() will. */
void places_begin(void);
void places_end(struct places *places);
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

/*
 * Find the place of a site, once the trace has been read.  `program` is the
 * file of the program where the trace does not name it or it has moved; NULL =
 * the trace names it.
 */
void places_find_site(struct places *places, const margay_trace *trace,
                      const char *program, uint64_t site, struct place *place);

#endif
