# traces/ - bytes to references to blocks
library_SOURCES += $(wildcard traces/base/*.c traces/formats/*.c \
                     traces/generate/*.c)
public_HEADERS  += traces/base/status.h traces/traces.h
library_LIBS    += -larchive -lz -lcsv
