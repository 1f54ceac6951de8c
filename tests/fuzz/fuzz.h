/*
 * fuzz.h - the targets: targets of hostile bytes
 *
 * A target takes any bytes and returns; an impossible result ends in
 * fuzz_fail(), and the sanitizers find the rest.
 */
#ifndef MARGAY_TESTS_FUZZ_FUZZ_H
#define MARGAY_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

struct fuzz_target {
    const char *name;
    /* `name` is the target's: one function may serve several. */
    void (*run)(const char *name, const uint8_t *data, size_t bytes);
};

/* Until the next call; NULL: there is none of that name. */
const struct fuzz_target *fuzz_find(const char *name);
/* Until the next call; NULL beyond the last. */
const struct fuzz_target *fuzz_at(size_t index);

/* Say what is wrong, and abort. */
_Noreturn void fuzz_fail(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

void fuzz_trace(const char *name, const uint8_t *data, size_t bytes);
void fuzz_compressed(const char *name, const uint8_t *data, size_t bytes);
void fuzz_options(const char *name, const uint8_t *data, size_t bytes);
void fuzz_specs(const char *name, const uint8_t *data, size_t bytes);
void fuzz_histogram(const char *name, const uint8_t *data, size_t bytes);
void fuzz_regions(const char *name, const uint8_t *data, size_t bytes);
void fuzz_capture(const char *name, const uint8_t *data, size_t bytes);
void fuzz_report(const char *name, const uint8_t *data, size_t bytes);
void fuzz_model(const char *name, const uint8_t *data, size_t bytes);
void fuzz_state(const char *name, const uint8_t *data, size_t bytes);
void fuzz_optimum(const char *name, const uint8_t *data, size_t bytes);

#endif
