# The ladders. A ladder is a program with several versions of a kernel, its rungs, which the handouts
# compare. The facts are the measurements of their runs.
#
#   handouts/ladders/NAME.cu     -> build/ladders/NAME, and its runs: NAME.json, NAME.g80.json, NAME.tsv,
#                                   NAME.predicted.json
#   the runs and handouts/data/  -> build/ladders/facts.json, facts.lua
LADDERS := $(basename $(notdir $(wildcard handouts/ladders/*.cu)))
LADDERS_OUT := $(BUILD)/ladders
FACTS := $(LADDERS_OUT)/facts.lua
# These ladders also run with the counting rules of older GPUs.
LADDERS_BY_RULES := aos strides banks types transpose
# The times of these ladders, which belong to labs, are also predicted, for the GPU whose times are in data/.
LADDERS_PREDICTED := sumsq coalesce atomics reduce pitch matmul
PREDICTED_GPU := h100
LADDER_RECORDS := $(LADDERS_PREDICTED:%=$(LADDERS_OUT)/%.predicted.json) $(LADDERS:%=$(LADDERS_OUT)/%.json) \
	$(foreach rules,g80 gt200,$(LADDERS_BY_RULES:%=$(LADDERS_OUT)/%.$(rules).json))
LADDER_DATA := $(wildcard handouts/data/*.tsv)
LADDER_PARTS = $(wildcard handouts/ladders/*.cuh solutions/*/*.cu labs/*/.skeleton.cu shared/*.h)

$(LADDERS:%=$(LADDERS_OUT)/%): $(LADDERS_OUT)/%: handouts/ladders/%.cu $(LADDER_PARTS) $(BUILD)/flags | build/config.mk $(BUILD)/lib/libcudart.so
	@mkdir -p $(@D)
	$(Q)$(CONFIG_NVCC) $(NVCC_FLAGS) -o $@ $<

# nvcc builds ladders and replays in the quick way of the tests' programs (tests/rules.mk).
$(LADDERS_OUT)/% $(BUILD)/replays/%: NVCC_ARCH := -arch=compute_75
$(LADDERS_OUT)/% $(BUILD)/replays/%: NVCC_DEBUG := -Xcompiler=-g1 $(FEWER_HEADERS)

# Built for the same GPUs as the labs, because older GPUs have no asynchronous copies.
$(LADDERS_OUT)/fast_product: NVCC_ARCH := -arch=compute_80
$(LADDERS_OUT)/fast_product.json: LADDER_TOOLS := --tools waits

# make deletes the .json file if the run fails.
$(LADDERS_OUT)/%.json: $(LADDERS_OUT)/% $(LANEWISE) $(CUDART)
	$(call say,$@)
	$(Q)$(LANEWISE) run $(LADDER_TOOLS) --json $@ $< counts >$(@:json=tsv) 2>$(@:json=log) || { cat $(@:json=log) >&2; exit 1; }

$(LADDERS_OUT)/%.g80.json $(LADDERS_OUT)/%.gt200.json: $(LADDERS_OUT)/% $(LANEWISE) $(CUDART)
	$(Q)for rules in g80 gt200; do $(LANEWISE) run --rules $$rules --json $<.$$rules.json $< counts \
		>/dev/null 2>$<.log || { cat $<.log >&2; exit 1; }; done

# This takes about a minute of one processor for all ladders together.
$(LADDERS_OUT)/%.predicted.json: $(LADDERS_OUT)/% $(LANEWISE) $(CUDART)
	$(call say,$@)
	$(Q)$(LANEWISE) run --gpu $(PREDICTED_GPU) --tools memcheck --no-ordercheck --json $@ $< predict >$(@:json=tsv) 2>$(@:json=log) || { cat $(@:json=log) >&2; exit 1; }

# then.cu has the classic tutorial's kernels, whose times are predicted for the tutorial's GPU. The predictions of
# products.cu are drawn.
$(LADDERS_OUT)/then $(LADDERS_OUT)/products: $(LADDERS_OUT)/%: handouts/examples/%.cu shared/lab.h $(BUILD)/flags | build/config.mk $(BUILD)/lib/libcudart.so
	@mkdir -p $(@D)
	$(Q)$(CONFIG_NVCC) $(NVCC_FLAGS) -o $@ $<

$(LADDERS_OUT)/then.json: $(LADDERS_OUT)/then $(LANEWISE) $(CUDART)
	$(call say,$@)
	$(Q)$(LANEWISE) run --gpu 8800gt --tools memcheck --json $@ $< >$(@:json=tsv) 2>$(@:json=log) || { cat $(@:json=log) >&2; exit 1; }

PREDICTED_PICTURES := $(addprefix $(LADDERS_OUT)/products-,roofline.svg limits.svg occupancy.svg)
$(PREDICTED_PICTURES): $(LADDERS_OUT)/products-%.svg: $(LADDERS_OUT)/products $(LANEWISE) $(CUDART)
	$(call say,$@)
	$(Q)$(LANEWISE) run --gpu h200 --draw $* --picture $@ $< >$@.log 2>&1 || { cat $@.log >&2; exit 1; }

$(FACTS): handouts/ladders/facts.py $(PREDICTED_PICTURES) $(LADDERS_OUT)/then.json $(LADDER_RECORDS) $(LADDER_DATA)
	$(call say,$@)
	$(Q)python3 $< --out $(@:.lua=) --then $(LADDERS_OUT)/then.json --ladders $(LADDER_RECORDS) --data $(LADDER_DATA)

facts: lanewise $(FACTS)

# --- make record-ladders: the times, on a machine with a GPU -----------------------------------------------

LADDERS_GPU := $(LADDERS:%=$(LADDERS_OUT)/gpu/%)

$(LADDERS_GPU): $(LADDERS_OUT)/gpu/%: handouts/ladders/%.cu $(LADDER_PARTS) | build/config.mk
	@mkdir -p $(@D)
	$(Q)$(CONFIG_NVCC) -arch=native -O3 -Ishared -o $@ $<

record-ladders: $(LADDERS_GPU)
	$(Q)NVCC=$(CONFIG_NVCC) handouts/ladders/record.sh $(LADDERS_OUT)/gpu $(LADDERS)
