# sim/python/ - the library for Python: a package of sources, and its wheel
#
# The headers become Python's by pycparser (Debian: python3-pycparser), which
# the package itself does not need.
PYTHON         ?= python3
python_FOLDER  := $(BUILD)/python
python_SOURCES := $(wildcard sim/python/margay/*)
python_EMPTY   := stdbool.h stddef.h stdint.h stdio.h

$(python_FOLDER)/interface.i: sim/python/interface.h $(public_HEADERS) \
    | $(installed_HEADERS)
	@mkdir -p $(python_FOLDER)/empty
	@touch $(python_EMPTY:%=$(python_FOLDER)/empty/%)
	$(call quiet,CPP $@)$(CC) -E -P -nostdinc -I$(python_FOLDER)/empty \
	    -I$(BUILD)/include -o $@ $<

$(python_FOLDER)/margay/_library.py: sim/python/bindings.py \
    $(python_FOLDER)/interface.i $(python_SOURCES) $(shared_LIBRARY)
	@mkdir -p $(@D)
	@cp $(python_SOURCES) $(@D)
	@cp $(shared_LIBRARY) $(@D)/libmargay.so
	$(call quiet,PYTHON $@)$(PYTHON) sim/python/bindings.py \
	    $(python_FOLDER)/interface.i >$@.new
	@mv $@.new $@

python: deps $(python_FOLDER)/margay/_library.py ## build a wheel for Python (PYTHON=python3)
	@$(PYTHON) sim/python/wheel.py $(VERSION) $(python_FOLDER) \
	    $(python_FOLDER)/wheels

.PHONY: python
