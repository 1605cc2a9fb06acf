# The grader as one static library, without the emulator. Grader and emulator both contain fatbin/.
GRADER_FOLDERS := base sandbox compile record judge similar course grade report batch gpu/fatbin
GRADER_OBJECTS := $(call objects,$(call sources,$(GRADER_FOLDERS:%=grader/%)))
GRADER := $(BUILD)/lib/liblanewise-grader.a
GRADER_LIBS := -ljansson -lnettle -lseccomp -lelf -lsqlite3 -larchive -lcsv -lunistring -lyaml -llz4 -lzstd -lm -lpthread -ldl
OBJECTS += $(GRADER_OBJECTS)

# The style sheet is compiled into the program.
$(BUILD)/obj/grader/report/html.o: grader/report/report.css

$(GRADER): $(GRADER_OBJECTS)
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcs $@ $^
