#if defined(__APPLE__)
#include "CZip.h"

// Homebrew's, which lies where only the linker finds it (CLibzip).
const char *czip_missing(void) { return 0; }
#endif
