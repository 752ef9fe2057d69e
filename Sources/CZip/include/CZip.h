// libzip. On Linux it is loaded when an archive is first read, instead of linked. Of all libraries that atsgate uses,
// only its file name differs between Debian 12, Debian 13 and Fedora; so one program runs on all of them.
#ifndef CZIP_H
#define CZIP_H

#include <zip.h>

// Loads libzip. Returns NULL on success, else the loader's error, which stays valid for the life of the process. If
// libzip is missing, only zip_open may be called; it fails with ZIP_ER_OPNOTSUPP. Other functions may be called after
// this or zip_open succeeded. Callable from any thread.
const char *czip_missing(void);

#endif
