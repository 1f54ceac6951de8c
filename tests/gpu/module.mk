# tests/gpu/ - emulated drivers
fake_DRIVERS := $(BUILD)/tests/gpu/libOpenCL.so.1

$(BUILD)/tests/gpu/libOpenCL.so.1: $(BUILD)/obj/tests/gpu/fake_opencl.o
$(fake_DRIVERS): $(BUILD)/libmargay.a
	@mkdir -p $(@D)
	$(call quiet,LD $@)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -shared \
	    -Wl,-soname,$(@F) -o $@ $(filter %.o,$^) $(BUILD)/libmargay.a \
	    $(library_LIBS) $(LIBS)

# bench.t runs what measures devices.
tests: $(fake_DRIVERS) $(BUILD)/tests/bench/measure
