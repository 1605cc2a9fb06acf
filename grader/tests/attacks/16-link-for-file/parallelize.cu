// Is replaced by a link to a file of the machine, whose contents messages would then show.
