# tests/measured/ - the tables of the pages of docs/measured that no paper asks for
#
# `make measured-NAME` makes those of the page NAME and puts them into it,
# TABLES=A,B only some of them.  Published traces are read in TRACES.
measured_NAMES := $(patsubst tests/measured/%.pl,%,\
    $(filter-out %/measured.pl,$(wildcard tests/measured/*.pl)))

$(measured_NAMES:%=measured-%): measured-%: deps $(BUILD)/margay bench-tools ## the tables of a page: policies, performance, scaling or analysers
	@perl tests/measured/$*.pl $(if $(TABLES),--tables $(TABLES)) \
	    $(BUILD)/margay $(BUILD)/tests/bench $(BUILD)/bench docs/measured \
	    $(TRACES)
	@perl tests/papers/pages.pl docs/measured/$*.md

.PHONY: $(measured_NAMES:%=measured-%)
