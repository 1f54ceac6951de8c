# docs/ - manual pages, put together from themselves and the shared options
man1_PAGES := $(sort $(wildcard docs/*.1))
man3_PAGES := $(sort $(wildcard docs/*.3))
man_PAGES   = $(man1_PAGES:docs/%=$(BUILD)/man/man1/%) \
              $(man3_PAGES:docs/%=$(BUILD)/man/man3/%)

$(filter %.1,$(man_PAGES)): $(BUILD)/man/man1/%: docs/%
$(filter %.3,$(man_PAGES)): $(BUILD)/man/man3/%: docs/%
$(man_PAGES): docs/options.mdoc docs/assemble.awk $(public_HEADERS)
	@mkdir -p $(@D)
	@awk -f docs/assemble.awk docs/options.mdoc \
	    $(filter %$(@F),$^) >$@

all tests lint: $(man_PAGES)
