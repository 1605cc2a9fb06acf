# Makes packages for machines where nothing can be installed, and tries them on bare systems. The scripts say how.
DIST := build/dist

dist: build/setup/dist handouts
	$(Q)grader/dist/build.sh $(DIST) $(HANDOUT_SITE)

# Unpacks the package in bare Debian systems and grades a lab there as a user without root and network.
try-dist: build/setup/dist
	$(Q)grader/dist/try-dist.sh $(DIST)

# Follows the README in a bare Debian or Ubuntu, and reports the time that this takes.
try-debian-12 try-debian-13 try-ubuntu-22 try-ubuntu-24: try-%: build/setup/dist
	$(Q)grader/dist/try-system.sh $* $(DIST)

# Grades in the package in containers of podman.
try-container: build/setup/dist build/setup/container
	$(Q)grader/dist/try-container.sh $(DIST)
