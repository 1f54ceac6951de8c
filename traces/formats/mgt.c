/* mgt.c - the compact format, in the table of formats */
#include "traces/formats/blocks_format.h"
#include "traces/formats/mgt_file.h"

const struct margay_format margay_format_mgt = {
    .info = {.name = "mgt",
             .description = "Margay's own, in compressed blocks",
             .suffixes = "mgt",
             .numbers = MARGAY_ADDRESSES,
             .unit_bytes = 1,
             .any_numbers = true,
             .checked = true,
             .writable = true,
             .has_kinds = true,
             .has_extents = true,
             .has_counts = true,
             .has_threads = true,
             .has_sites = true},
    .reading = &margay_mgt_reading,
    .writing = &margay_mgt_writing,
};
