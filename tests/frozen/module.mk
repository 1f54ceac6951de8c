# tests/frozen/ - outputs that stay the same, byte for byte
frozen: deps $(BUILD)/margay ## whether outputs are what they were, byte for byte
	@MARGAY='$(abspath $(BUILD)/margay)' sh tests/frozen/frozen.sh check

frozen-update: deps $(BUILD)/margay ## take the outputs of now for right
	@MARGAY='$(abspath $(BUILD)/margay)' sh tests/frozen/frozen.sh update

.PHONY: frozen frozen-update
