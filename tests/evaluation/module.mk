# tests/evaluation/ - what it costs to record programs, beside the literature
#
# evaluate.pl says what is measured, docs/measured/evaluation.md what came out.
# Inputs and programs are kept in $(BUILD)/evaluation.
evaluation: deps all bench-tools ## record real programs, and analyse them
	@perl tests/evaluation/evaluate.pl $(EVALUATION_FLAGS) $(BUILD)/margay \
	    $(BUILD)/tests/bench/measure $(BUILD)/evaluation

# How well `margay share` does: docs/measured/sharing.md.
evaluation-sharing: deps all ## mixtures of recorded programs, and margay share
	@$(keep) sharing,sharing-mixtures perl tests/evaluation/sharing.pl \
	    $(BUILD)/margay $(BUILD)/sharing
	@perl tests/papers/pages.pl docs/measured/sharing.md

# How well `margay phases` does: docs/measured/phases.md.
evaluation-phases: deps all ## recorded programs, and windows that stand for them
	@$(keep) phases perl tests/evaluation/phases.pl $(BUILD)/margay $(BUILD)/phases
	@perl tests/papers/pages.pl docs/measured/phases.md

.PHONY: evaluation evaluation-sharing evaluation-phases
