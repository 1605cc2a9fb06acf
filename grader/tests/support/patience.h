/* How much more time tests get, if the build makes programs slower. */
#ifndef TESTS_SUPPORT_PATIENCE_H
#define TESTS_SUPPORT_PATIENCE_H

#ifdef LANEWISE_PATIENCE
#define PATIENCE LANEWISE_PATIENCE /* under emulation (tests/arm64/try.sh) */
#elif defined LANEWISE_PRELOAD
#define PATIENCE 3 /* with sanitizers */
#else
#define PATIENCE 1
#endif

#endif
