# tests/prediction/ - programs whose locality is predicted, of `make paper-toplas`
#
# Measured, never tested: the tables of docs/measured/toplas.md.
prediction_SOURCES := $(wildcard tests/prediction/*.c)

$(BUILD)/tests/prediction/programs: $(prediction_SOURCES:%.c=$(BUILD)/obj/%.o)
	@mkdir -p $(@D)
	$(call quiet,LD $@)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $^ $(LIBS)

bench-tools: $(BUILD)/tests/prediction/programs
