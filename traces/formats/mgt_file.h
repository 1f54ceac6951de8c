/* mgt_file.h - reading and writing files of the format mgt */
#ifndef MARGAY_TRACES_FORMATS_MGT_FILE_H
#define MARGAY_TRACES_FORMATS_MGT_FILE_H

#include "traces/formats/blocks_format.h"

extern const struct margay_blocks_reading margay_mgt_reading;
extern const struct margay_blocks_writing margay_mgt_writing;

#endif
