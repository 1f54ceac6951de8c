# tests/papers/ - the tables and figures of the five papers, measured again
#
# `make papers` writes docs/measured/tables and pictures and puts the tables into
# the pages; `make papers-quick` tries the same on less, and writes into
# $(BUILD)/papers alone, where tables of counts have to be those of expected/.
# `make paper-NAME` does one paper.  What needs a device is `make bench-gpu`.
# items.csv lists what the papers have.
papers_NAMES := parda fu shen hp-rda toplas
papers_FILES  = $(BUILD)/evaluation
papers_RUN    = perl tests/papers/$(1).pl $(2) $(BUILD)/margay \
                    $(BUILD)/tests/bench $(papers_FILES) $(3)
# As in `make paper-parda PAPER_FLAGS='--only programs'`.
PAPER_FLAGS  ?=
# What `deps` brings makes more ways to record possible than make knew of.
recorders     = +@$(MAKE) --no-print-directory DEPS=no all

$(papers_NAMES:%=paper-%): paper-%: deps $(BUILD)/margay bench-tools ## one paper's: parda, fu, shen, hp-rda or toplas
	@mkdir -p docs/measured/tables docs/measured/pictures
	$(recorders)
	@$(call papers_RUN,$*,$(PAPER_FLAGS),docs/measured)
	@perl tests/papers/pages.pl docs/measured/*.md

$(papers_NAMES:%=paper-quick-%): paper-quick-%: deps $(BUILD)/margay bench-tools ## one paper's on less
	@mkdir -p $(BUILD)/papers/tables $(BUILD)/papers/pictures
	$(recorders)
	@$(call papers_RUN,$*,--quick,$(BUILD)/papers)

# One after the other, also with -j: they measure, and write the same pages.
papers: deps ## measure the papers' tables and figures again
	+@for name in $(papers_NAMES); do \
	    $(MAKE) --no-print-directory paper-$$name || exit 1; done

papers-quick: $(papers_NAMES:%=paper-quick-%) ## the same on less, into $(BUILD)/papers
	@echo 'tables and pictures: $(BUILD)/papers'
	@for table in tests/papers/expected/*.csv; do \
	    diff "$$table" "$(BUILD)/papers/tables/$${table##*/}" || wrong=1; \
	done; exit $${wrong:-0}

.PHONY: papers papers-quick $(papers_NAMES:%=paper-%) \
    $(papers_NAMES:%=paper-quick-%)
