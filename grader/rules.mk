# What grades: run/ executes a submission, judge/ decides, report/ tells, batch/ does it for a class. One
# static library. Of the runtime library it has the reader of fat binaries, for the PTX of what was built.
GRADER_OBJECTS := $(call objects,$(call sources,grader/run grader/judge grader/report grader/batch) \
	grader/cudart/fatbin.c)
GRADER := $(BUILD)/lib/liblanewise-grader.a
GRADER_LIBS := -ljansson -lnettle -lseccomp -lelf -lsqlite3 -larchive -lcsv -lunistring -lyaml -llz4 -lzstd -lm -lpthread
OBJECTS += $(GRADER_OBJECTS)

# The style sheet is built in.
$(BUILD)/obj/grader/report/html.o: grader/report/report.css

$(GRADER): $(GRADER_OBJECTS)
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcs $@ $^
