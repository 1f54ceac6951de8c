# sim/ - what a run is, and the margay command
program_ROOMS   := terminal options result plot annotate record command report
program_SOURCES += $(wildcard $(program_ROOMS:%=sim/%/*.c))

include sim/run/module.mk
include sim/python/module.mk

# The assembler takes these files in.
$(BUILD)/obj/sim/report/page.o: $(wildcard sim/report/*.js sim/report/report.css)
$(BUILD)/obj/sim/command/completion.o: sim/command/completion.bash

# The same for a cluster, where there is MPI; its own leaks and races are not
# for the sanitizers, and its libraries are for this machine.
MPICC    ?= mpicc
MPI_CC    = $(if $(shell command -v $(MPICC) 2>/dev/null),OMPI_CC='$(CC)' \
            MPICH_CC='$(CC)' $(MPICC))
ifeq ($(SANITIZE)$(is_CROSS),)
mpi_PROGRAM := $(if $(MPI_CC),$(BUILD)/margay-mpi)
endif
mpi_OBJECTS := $(patsubst %.c,$(BUILD)/obj/%.o,$(mpi_SOURCES) sim/mpi/main.c \
                 $(filter-out sim/command/main.c,$(program_SOURCES)))

all tests: $(mpi_PROGRAM)

mpi: deps ## build the command for clusters, with MPI
	@command -v $(MPICC) >/dev/null || { \
	    echo '$(MPICC): not found; it is in the packages of an MPI' \
	        '(Debian: openmpi-bin libopenmpi-dev)' >&2; exit 2; }
	+@$(MAKE) --no-print-directory DEPS=no $(BUILD)/margay-mpi

# The headers of MPI are not ours to make warnings of.
$(mpi_SOURCES:%.c=$(BUILD)/obj/%.o): $(BUILD)/obj/%.o: %.c \
    | $(installed_HEADERS) deps
	@mkdir -p $(@D)
	$(call quiet,CC $@)$(MPI_CC) $(CPPFLAGS_ALL) \
	    $(filter-out -Wpedantic,$(CFLAGS_ALL)) $(depend_FLAGS) -c -o $@ $<

$(BUILD)/margay-mpi: $(mpi_OBJECTS) $(BUILD)/libmargay.a
	$(call quiet,LD $@)$(MPI_CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $^ \
	    $(library_LIBS) $(LIBS)

.PHONY: mpi
