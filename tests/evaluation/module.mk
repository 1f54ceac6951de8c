# tests/evaluation/ - the costs of recording programs, and the literature
#
# evaluate.pl says what is measured, methods.pl of which tables it makes the page;
# docs/measured/evaluation.md has what came out.  Inputs and programs are kept in
# $(BUILD)/evaluation.  EVALUATION_FLAGS chooses rows that are measured anew, as in
# '--only sort,lu --method valgrind'.
EVALUATION_FLAGS  ?= --rounds 1
EVALUATION_SUITES ?= trixie
evaluation: deps bench-tools ## record programs each way, and analyse them
	$(recorders)
	@perl tests/evaluation/methods.pl $(EVALUATION_FLAGS) $(BUILD)/margay \
	    $(BUILD)/tests/bench/measure $(BUILD)/evaluation docs/measured
	@perl tests/papers/pages.pl docs/measured/evaluation.md docs/measured/parda.md

# The same of the last commit on new systems.
evaluation-fresh: ## the same on a new Debian, by root (EVALUATION_SUITES=trixie)
	@EVALUATION_FLAGS='$(EVALUATION_FLAGS)' FRESH_EVALUATION=docs/measured \
	    sh tests/fresh.sh '$(BUILD)/fresh' $(EVALUATION_SUITES)
	@perl tests/evaluation/methods.pl docs/measured
	@perl tests/papers/pages.pl docs/measured/evaluation.md docs/measured/parda.md

.PHONY: evaluation evaluation-fresh
