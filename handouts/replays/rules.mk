# Records replays, which are launches recorded step by step. Players in the handouts show them.
#
#   handouts/examples/replays.cu  -> build/replays/program
#   its launches                  -> build/replays/NAME.html, NAME.states
#   filters/replays.lua           -- replay.py -->  HTML in a page; player.js plays it
REPLAYS_OUT := $(BUILD)/replays
# The program's launches, in order. Each has its kernel's name.
REPLAY_NAMES := chunks interleaved tree_modulo tree_conflicts tree_sequential by_full_tile right wrong
REPLAYS := $(foreach name,$(REPLAY_NAMES),$(REPLAYS_OUT)/$(name).html $(REPLAYS_OUT)/$(name).states)

$(REPLAYS_OUT)/program: handouts/examples/replays.cu $(wildcard handouts/ladders/*.cu) grader/report/examples/race-shared.cu \
		$$(LADDER_PARTS) $(BUILD)/flags | build/config.mk $(BUILD)/lib/libcudart.so
	@mkdir -p $(@D)
	$(Q)$(CONFIG_NVCC) $(NVCC_FLAGS) -o $@ $<

$(REPLAYS) &: $(REPLAYS_OUT)/program $$(LANEWISE) $$(CUDART)
	$(call say,$(REPLAYS_OUT)/*.html)
	$(Q)rm -f $(REPLAYS); launch=0; for name in $(REPLAY_NAMES); do launch=$$((launch + 1)); \
		LANEWISE_STEPS_DUMP=$(REPLAYS_OUT)/$$name.states $(LANEWISE) step --launch $$launch -o $(REPLAYS_OUT)/$$name.html $< \
		>$<.log 2>&1 || { cat $<.log >&2; exit 1; }; done
