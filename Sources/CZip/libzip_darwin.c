#if defined(__APPLE__)
#include "CZip.h"

// Homebrew's libzip, in a directory that only the linker knows (CLibzip).
const char *czip_missing(void) { return 0; }
#endif
