/* assets.h - the style and the script of a page, as the files beside this one
   have them */
#ifndef MARGAY_SIM_REPORT_ASSETS_H
#define MARGAY_SIM_REPORT_ASSETS_H

extern const char report_css[], report_css_end[];
extern const char report_js[], report_js_end[];

#endif
