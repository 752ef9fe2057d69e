// libzip. On Linux it is loaded when an archive is first read, and not with the program: the name of its file is the only
// one among those of the system's libraries that differs between Debian 12, Debian 13 and Fedora, so that one program
// runs on all of them.
#ifndef CZIP_H
#define CZIP_H

#include <zip.h>

// NULL once libzip is there; else what is missing, as the system tells it, for as long as the process lives. Asked before,
// or after zip_open, which asks it, every function may be called; where it is missing zip_open alone, which fails with
// ZIP_ER_OPNOTSUPP. On any thread.
const char *czip_missing(void);

#endif
