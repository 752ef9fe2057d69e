#include "CVersions.h"

#include <CZip.h>
#include <nghttp2/nghttp2.h>
#include <openssl/crypto.h>
#include <sqlite3.h>

#ifndef BUILT_FROM
#define BUILT_FROM ""
#endif
#ifndef BUILT_BY
#define BUILT_BY __VERSION__
#endif

const char *version_commit(void) { return BUILT_FROM; }
const char *version_compiler(void) { return BUILT_BY; }
const char *version_openssl(void) { return OpenSSL_version(OPENSSL_VERSION_STRING); }
const char *version_nghttp2(void) { return nghttp2_version(0)->version_str; }
const char *version_sqlite(void) { return sqlite3_libversion(); }
const char *version_libzip(void) { return czip_missing() ? "missing" : zip_libzip_version(); }
