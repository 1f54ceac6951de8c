/* assets.h - the style and the script of a page, as the files beside this one
   have them */
#ifndef MARGAY_SIM_REPORT_ASSETS_H
#define MARGAY_SIM_REPORT_ASSETS_H

#include <stddef.h>
#include <stdint.h>

extern const char report_css[], report_css_end[];
extern const char report_js[], report_js_end[];

/* The bytes from one to the other, which the assembler lays out so. */
static inline size_t asset_bytes(const char *begin, const char *end)
{
    return (size_t)((uintptr_t)end - (uintptr_t)begin);
}

#endif
