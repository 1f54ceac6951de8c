# sim/python/ - the library for Python: a package of sources, and its wheel
#
# The headers become Python's by pycparser (Debian: python3-pycparser), which
# the package itself does not need.
PYTHON         ?= $(firstword $(foreach python,python3 /usr/bin/python3,\
                    $(shell $(python) -c 'import pycparser' 2>/dev/null && \
                        echo $(python))))
python_FOLDER  := $(BUILD)/python
python_SOURCES := $(wildcard sim/python/margay/*)
python_MACHINES := $(wildcard sim/machines/*.csv)
python_SCRIPTS := $(wildcard plots/*.gp)
python_EMPTY   := stdbool.h stddef.h stdint.h stdio.h

$(python_FOLDER)/interface.i: sim/python/interface.h $(public_HEADERS) \
    | $(installed_HEADERS)
	@mkdir -p $(python_FOLDER)/empty
	@touch $(python_EMPTY:%=$(python_FOLDER)/empty/%)
	$(call quiet,CPP $@)$(CC) -E -P -nostdinc -I$(python_FOLDER)/empty \
	    -I$(BUILD)/include -o $@ $<

$(python_FOLDER)/margay/_library.py: sim/python/bindings.py \
    $(python_FOLDER)/interface.i $(python_SOURCES) $(python_MACHINES) \
    $(python_SCRIPTS) $(shared_LIBRARY) $(BUILD)/margay sim/python/policy.c
	@rm -rf $(@D)
	@mkdir -p $(@D)/bin $(@D)/share/margay/machines
	@cp $(python_SOURCES) $(@D)
	@cp $(python_MACHINES) $(@D)/share/margay/machines
	@cp $(python_SCRIPTS) $(@D)/share/margay
	@cp $(BUILD)/margay $(@D)/bin
	@cp $(shared_LIBRARY) $(@D)/libmargay.so
	$(call quiet,CC $(@D)/policy.so)$(CC) $(CFLAGS) -fPIC -shared \
	    -pthread -I$(BUILD)/include -o $(@D)/policy.so sim/python/policy.c
	$(call quiet,PYTHON $@)$(PYTHON) sim/python/bindings.py \
	    $(python_FOLDER)/interface.i $(VERSION) >$@.new
	@mv $@.new $@

# Its tests, where it can be made: Python loads no sanitizer's runtime, and no
# library for another machine.
ifeq ($(SANITIZE)$(is_CROSS),)
tests: $(if $(PYTHON),$(python_FOLDER)/margay/_library.py)
endif

python: deps ## build a wheel for Python (PYTHON=python3)
	@[ -n '$(PYTHON)' ] || { echo 'python: no python3 with pycparser' \
	    '(Debian: python3-pycparser)' >&2; exit 2; }
	+@$(MAKE) --no-print-directory DEPS=no wheel

wheel: $(python_FOLDER)/margay/_library.py
	@$(PYTHON) sim/python/wheel.py $(VERSION) $(python_FOLDER) \
	    $(python_FOLDER)/wheels

.PHONY: python wheel
