# The grader as one static library, without the emulator. Grader and emulator both contain fatbin/.
GRADER_FOLDERS := base sandbox compile record judge similar course grade report batch gpu/fatbin
GRADER_OBJECTS := $(call objects,$(call sources,$(GRADER_FOLDERS:%=grader/%)))
GRADER := $(BUILD)/lib/liblanewise-grader.a
GRADER_LIBS := -ljansson -lnettle -lseccomp -ldw -lelf -lsqlite3 -larchive -lcsv -lunistring -lyaml -llz4 -lzstd -lz -lm -lpthread -ldl
OBJECTS += $(GRADER_OBJECTS)

# Style sheets and scripts are compiled into the program.
$(BUILD)/obj/grader/report/html_frame.o: grader/report/report.css
$(BUILD)/obj/grader/report/step_page.o: $(wildcard grader/report/step/*)

$(GRADER): $(GRADER_OBJECTS)
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcs $@ $^
