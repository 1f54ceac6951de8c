# tests/prediction/ - programs whose locality is predicted, and how well
#
# Measured, never tested: the tables of docs/measured/prediction.md.
prediction_SOURCES := $(wildcard tests/prediction/*.c)
prediction_PARTS   := $(BUILD)/margay $(BUILD)/tests/prediction/programs \
    $(BUILD)/prediction

$(BUILD)/tests/prediction/programs: $(prediction_SOURCES:%.c=$(BUILD)/obj/%.o)
	@mkdir -p $(@D)
	$(call quiet,LD $@)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $^ $(LIBS)

bench-tools: $(BUILD)/tests/prediction/programs

prediction: deps $(BUILD)/margay $(BUILD)/tests/prediction/programs ## measure how well programs are predicted (PREDICTION_FLAGS=--csv)
	@$(if $(PREDICTION_FLAGS),,$(keep) prediction-8-bytes,prediction-64-bytes) \
	    perl tests/prediction/evaluate.pl $(PREDICTION_FLAGS) $(prediction_PARTS)
	@$(keep) prediction-data,prediction-sizes \
	    perl tests/prediction/sizes.pl $(prediction_PARTS)
	@$(keep) prediction-small perl tests/prediction/small.pl $(prediction_PARTS)
	@$(keep) prediction-means,prediction-found,prediction-caches \
	    perl tests/prediction/means.pl $(prediction_PARTS) docs/measured/tables
	@perl tests/papers/pages.pl docs/measured/prediction.md

.PHONY: prediction
