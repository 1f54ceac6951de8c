# sim/run/ - what a run is: the top floor of the library
library_SOURCES += $(wildcard sim/run/*.c)
public_HEADERS  += sim/run/analysis.h sim/run/questions.h sim/run/run.h
