// Includes a secret file: compiler messages would quote its lines.
#include "/etc/passwd"
#include "/etc/shadow"
#include "/proc/self/environ"
