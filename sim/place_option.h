/* place_option.h - what --by tells references apart by */
#ifndef MARGAY_SIM_PLACE_OPTION_H
#define MARGAY_SIM_PLACE_OPTION_H

enum place_kind { BY_NOTHING, BY_SITE, BY_THREAD, BY_REGION };

struct place_option {
    enum place_kind kind;
    const char *map; /* of regions: the table */
};

#endif
