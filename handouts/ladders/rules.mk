# The ladders: programs whose rungs the handouts compare, and the facts that are made of what they do.
#
#   handouts/ladders/NAME.cu   -> build/ladders/NAME, and its runs: NAME.json, NAME.g80.json, NAME.tsv
#   these and handouts/data/   -> build/ladders/facts.json, facts.lua
LADDERS := $(basename $(notdir $(wildcard handouts/ladders/*.cu)))
LADDERS_OUT := $(BUILD)/ladders
FACTS := $(LADDERS_OUT)/facts.lua
LADDER_RECORDS := $(LADDERS:%=$(LADDERS_OUT)/%.json)
LADDER_DATA := $(wildcard handouts/data/*.tsv)
LADDER_PARTS = $(wildcard handouts/ladders/*.cuh solutions/*/*.cu labs/*/.skeleton.cu) shared/lab.h

$(LADDERS:%=$(LADDERS_OUT)/%): $(LADDERS_OUT)/%: handouts/ladders/%.cu $(LADDER_PARTS) $(BUILD)/flags | build/config.mk $(BUILD)/lib/libcudart.so
	@mkdir -p $(@D)
	$(Q)$(CONFIG_NVCC) $(NVCC_FLAGS) -o $@ $<

# What it prints is written last: it is there when the run was good.
$(LADDERS_OUT)/%.json: $(LADDERS_OUT)/% $(LANEWISE) $(CUDART)
	$(call say,$@)
	$(Q)$(LANEWISE) run --json $@ $< counts >$(@:json=tsv) 2>$(@:json=log) || { cat $(@:json=log) >&2; exit 1; }

$(FACTS): handouts/ladders/facts.py $(LADDER_RECORDS) $(LADDER_DATA)
	$(call say,$@)
	$(Q)python3 $< --out $(@:.lua=) --ladders $(LADDER_RECORDS) --data $(LADDER_DATA)

facts: lanewise $(FACTS)

# --- make record-ladders: the times, on a machine with a GPU -----------------------------------------------

LADDERS_GPU := $(LADDERS:%=$(LADDERS_OUT)/gpu/%)

$(LADDERS_GPU): $(LADDERS_OUT)/gpu/%: handouts/ladders/%.cu $(LADDER_PARTS) | build/config.mk
	@mkdir -p $(@D)
	$(Q)$(CONFIG_NVCC) -arch=native -O3 -Ishared -o $@ $<

record-ladders: $(LADDERS_GPU)
	$(Q)NVCC=$(CONFIG_NVCC) handouts/ladders/record.sh $(LADDERS_OUT)/gpu $(LADDERS)
