# docs/ - manual pages, put together from themselves and the shared options
man1_PAGES := $(sort $(wildcard docs/man/*.1))
man3_PAGES := $(sort $(wildcard docs/man/*.3))
man_PAGES   = $(man1_PAGES:docs/man/%=$(BUILD)/man/man1/%) \
              $(man3_PAGES:docs/man/%=$(BUILD)/man/man3/%)

$(filter %.1,$(man_PAGES)): $(BUILD)/man/man1/%: docs/man/%
$(filter %.3,$(man_PAGES)): $(BUILD)/man/man3/%: docs/man/%
$(man_PAGES): docs/man/options.mdoc docs/man/assemble.awk $(public_HEADERS)
	@mkdir -p $(@D)
	@awk -f docs/man/assemble.awk docs/man/options.mdoc \
	    $(filter %$(@F),$^) >$@

all tests lint: $(man_PAGES)

# The pictures of the pages, each from a table that is made here or stands next to
# it.
pictures: deps $(BUILD)/margay ## draw the pictures of docs/ again
	@MARGAY_PLOTS=plots sh docs/pictures.sh $(abspath $(BUILD)/margay) \
	    $(BUILD)/pictures docs

.PHONY: pictures
