# Converts the Markdown of the handouts into a site and PDF.
#
#   handouts/NAME.md  --filters/page.lua-->  a document with code, facts and outputs filled in (.json)
#                     --filters/site.lua, template.html-->  build/handouts/NAME.html
#
# A page is rebuilt when a file that it shows has changed: filters/page.lua writes its prerequisites to .d files.
# HANDOUT=instructor builds the pages with answers, in separate folders. The tests build their own pages:
# HANDOUTS is the pages' folder, HANDOUT_SITE and HANDOUT_WORK are the output, HANDOUT_FACTS the measurements,
# HANDOUT_REPLAYS the folder of the recorded launches, or nothing.
HANDOUTS := handouts
ifneq ($(filter-out instructor,$(HANDOUT)),)
$(error HANDOUT=$(HANDOUT) is unknown; the only value is HANDOUT=instructor)
endif
HANDOUT_KIND := handouts$(if $(HANDOUT),-$(HANDOUT))
HANDOUT_SITE := $(BUILD)/$(HANDOUT_KIND)
HANDOUT_WORK := $(BUILD)/obj/$(HANDOUT_KIND)
HANDOUT_FACTS := $(FACTS)
HANDOUT_REPLAYS := $(REPLAYS_OUT)
$(FACTS): | build/setup/handouts

HANDOUT_PAGES := $(patsubst $(HANDOUTS)/%.md,%,$(wildcard $(HANDOUTS)/*.md))
HANDOUT_DOCUMENTS := $(HANDOUT_PAGES:%=$(HANDOUT_WORK)/%.json)
HANDOUT_FIGURES := $(basename $(notdir $(wildcard $(HANDOUTS)/figures/*.*)))
PAGE_FILTERS := handouts/rules.mk $(addprefix handouts/filters/,page.lua common.lua code.lua facts.lua ladders.lua \
	console.lua exercises.lua messages.lua replays.lua run.sh)
SITE_FILTERS := handouts/rules.mk $(addprefix handouts/filters/,site.lua book.lua contents.lua shape.lua)

# Pages run commands, so they depend on all tools.
$(HANDOUT_DOCUMENTS): $(HANDOUT_WORK)/%.json: $(HANDOUTS)/%.md $(PAGE_FILTERS) $$(TOOLS) \
		| build/setup/handouts $(HANDOUT_FACTS) $(if $(HANDOUT_REPLAYS),$(REPLAYS))
	@mkdir -p $(@D)
	$(Q)HANDOUT=$(HANDOUT) HANDOUT_FACTS=$(HANDOUT_FACTS) HANDOUT_REPLAYS=$(HANDOUT_REPLAYS) HANDOUT_DEPS=$(@:.json=.d) \
		HANDOUT_FIGURES='$(HANDOUT_FIGURES)' HANDOUT_LANEWISE=$(LANEWISE) pandoc -f markdown -t json --columns=1000 --lua-filter handouts/filters/page.lua -o $@ $<
-include $(HANDOUT_DOCUMENTS:.json=.d)
# This page's tables list the files in these folders.
$(HANDOUT_WORK)/every-message.json: $(wildcard grader/tests/advice/*.diff grader/tests/mutants/*/*.diff)

# The list of pages. All pages depend on it, because they link to their neighbours. It changes only when a
# page's front matter changes.
HANDOUT_LIST := $(HANDOUT_WORK)/pages.tsv
$(HANDOUT_LIST): $(HANDOUT_PAGES:%=$(HANDOUTS)/%.md) handouts/filters/pages.sh FORCE
	@mkdir -p $(@D)
	$(Q)handouts/filters/pages.sh $(HANDOUT_PAGES:%=$(HANDOUTS)/%.md) >$@.new
	$(Q)cmp -s $@.new $@ || cp $@.new $@

# Removes line numbers from the Tab key's order.
QUIET_NUMBERS := sed 's,<a href="\#\(cb[-0-9]*\)"></a>,<a href="\#\1" aria-hidden="true" tabindex="-1"></a>,'
HANDOUT_PANDOC = HANDOUT_PAGES=$(HANDOUT_LIST) pandoc -f json -t html5 --mathml --wrap=none \
	--syntax-definition=handouts/cuda.xml

$(HANDOUT_PAGES:%=$(HANDOUT_SITE)/%.html): $(HANDOUT_SITE)/%.html: $(HANDOUT_WORK)/%.json $(HANDOUT_LIST) handouts/template.html handouts/cuda.xml $(SITE_FILTERS)
	$(call say,$@)
	@mkdir -p $(@D)
	$(Q)$(HANDOUT_PANDOC) --template handouts/template.html -M page=$* --lua-filter handouts/filters/site.lua -o $@.raw $<
	$(Q)$(QUIET_NUMBERS) $@.raw >$@; rm $@.raw

# --- fonts, style and figures --------------------------------------------------------------------------

# A Palatino, and a font for mathematics that matches it. The rule is empty because the set-up can install
# the fonts while make runs.
FONTS := $(addprefix /usr/share/texmf/fonts/opentype/public/,tex-gyre/texgyrepagella-regular.otf \
	tex-gyre/texgyrepagella-italic.otf tex-gyre/texgyrepagella-bold.otf tex-gyre-math/texgyrepagella-math.otf)
$(FONTS): | build/setup/handouts ;
WOFF2 := $(BUILD)/obj/fonts
HANDOUT_FONTS := $(patsubst %.otf,$(HANDOUT_SITE)/fonts/%.woff2,$(notdir $(FONTS)))

define font_rule
$(WOFF2)/$(basename $(notdir $1)).woff2: $1 handouts/fonts.py | build/setup/handouts
	$(call say,$$@)
	@mkdir -p $$(@D)
	$$(Q)/usr/bin/python3 handouts/fonts.py $1 $$@
endef
$(foreach font,$(FONTS),$(eval $(call font_rule,$(font))))

$(HANDOUT_FONTS): $(HANDOUT_SITE)/fonts/%: $(WOFF2)/%
	@mkdir -p $(@D)
	$(Q)cp $< $@

$(HANDOUT_SITE)/style.css: handouts/style.css
	@mkdir -p $(@D)
	$(Q)cp $< $@

$(HANDOUT_SITE)/player.js: handouts/replays/player.js
	@mkdir -p $(@D)
	$(Q)cp $< $@

# A script draws a figure from the facts.
define figure_rule
$(HANDOUT_SITE)/figures/$(basename $(notdir $1)).svg: $1 $(wildcard $(HANDOUTS)/figures/lib/*.py) $(HANDOUT_FACTS) | build/setup/handouts
	@mkdir -p $$(@D)
	$$(Q)$1 $(HANDOUT_FACTS:.lua=.json) >$$@
endef
$(foreach script,$(wildcard $(HANDOUTS)/figures/*.*),$(eval $(call figure_rule,$(script))))

HANDOUT_HTML := $(HANDOUT_PAGES:%=$(HANDOUT_SITE)/%.html)
HANDOUT_REST := $(HANDOUT_SITE)/style.css $(HANDOUT_SITE)/player.js $(HANDOUT_FONTS) $(HANDOUT_FIGURES:%=$(HANDOUT_SITE)/figures/%.svg)

handouts: build/setup/handouts $(HANDOUT_HTML) $(HANDOUT_REST)
	@rm -f $(filter-out $^,$(wildcard $(HANDOUT_SITE)/*.html $(HANDOUT_SITE)/figures/*.svg)) # pages that no longer exist
	@echo 'handouts: $(words $(HANDOUT_PAGES)) pages in $(HANDOUT_SITE), read them with make serve'

# --- PDF: printed by Chromium, which can typeset MathML ----------------------------------------------------------

HANDOUT_PDF := $(BUILD)/handouts-pdf$(if $(HANDOUT),-$(HANDOUT))
HANDOUT_PRINT := $(HANDOUT_WORK)/print
# $(call print,HTML,PDF) prints the page HTML to the file PDF.
print = HOME=$(abspath $(HANDOUT_PRINT)) timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
	--user-data-dir=$(abspath $(HANDOUT_PRINT))/profile-$(notdir $2) --no-pdf-header-footer --generate-pdf-document-outline \
	--print-to-pdf=$2 file://$(abspath $1) >$2.log 2>&1 || { cat $2.log; exit 1; }; rm -rf $2.log $(HANDOUT_PRINT)/profile-$(notdir $2)

# A page for printing has links to the site's style, fonts and figures next to it.
$(HANDOUT_PAGES:%=$(HANDOUT_PRINT)/%.html): $(HANDOUT_PRINT)/%.html: $(HANDOUT_WORK)/%.json $(HANDOUT_LIST) handouts/template.html handouts/cuda.xml $(SITE_FILTERS)
	@mkdir -p $(@D)
	$(Q)$(HANDOUT_PANDOC) --template handouts/template.html -M page=$* -M print=yes --lua-filter handouts/filters/site.lua -o $@.raw $<
	$(Q)$(QUIET_NUMBERS) $@.raw >$@; rm $@.raw
	$(Q)ln -sfn $(foreach part,style.css fonts figures,$(abspath $(HANDOUT_SITE)/$(part))) $(@D)

$(HANDOUT_PRINT)/book.html: $(HANDOUT_DOCUMENTS) $(HANDOUT_LIST) handouts/book.html handouts/cuda.xml $(SITE_FILTERS)
	$(call say,$@)
	@mkdir -p $(@D)
	$(Q)HANDOUT_DOCUMENTS=$(HANDOUT_WORK) $(HANDOUT_PANDOC) --template handouts/book.html -M title='CUDA, measured line by line' \
		-M subtitle='The handouts of Lanewise' --reference-location=section --lua-filter handouts/filters/book.lua -o $@.raw $<
	$(Q)$(QUIET_NUMBERS) $@.raw >$@; rm $@.raw
	$(Q)ln -sfn $(foreach part,style.css fonts figures,$(abspath $(HANDOUT_SITE)/$(part))) $(@D)

$(HANDOUT_PAGES:%=$(HANDOUT_PDF)/%.pdf): $(HANDOUT_PDF)/%.pdf: $(HANDOUT_PRINT)/%.html $(HANDOUT_REST) | build/setup/handouts-pdf
	$(call say,$@)
	@mkdir -p $(@D)
	$(Q)$(call print,$<,$@)

# The book is printed twice. The first printing shows on which page each section is; a style sheet then adds
# these page numbers.
$(HANDOUT_PDF)/lanewise.pdf: $(HANDOUT_PRINT)/book.html $(HANDOUT_REST) | build/setup/handouts-pdf
	$(call say,$@)
	@mkdir -p $(@D)
	$(Q): >$(HANDOUT_PRINT)/folios.css; $(call print,$<,$(HANDOUT_PRINT)/draft.pdf)
	$(Q)pdfinfo -dests $(HANDOUT_PRINT)/draft.pdf | awk -F '"' '$$2 != "" { split($$1, at, " "); \
		printf ".folio[data-for=\"%s\"]::after { content: \"%d\" }\n", $$2, at[1] }' >$(HANDOUT_PRINT)/folios.css
	$(Q)$(call print,$<,$@)

handouts-pdf: build/setup/handouts-pdf $(HANDOUT_PAGES:%=$(HANDOUT_PDF)/%.pdf) $(HANDOUT_PDF)/lanewise.pdf
	@echo 'handouts-pdf: the book is $(HANDOUT_PDF)/lanewise.pdf, its chapters are in the same folder'

PORT := 8000
serve: handouts
	@echo 'Lanewise handouts: http://localhost:$(PORT)/ (Ctrl-C ends it)'
	@python3 -m http.server --bind 127.0.0.1 --directory $(HANDOUT_SITE) $(PORT)
