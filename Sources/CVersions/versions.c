#include "CVersions.h"

#include <CZip.h>
#include <nghttp2/nghttp2.h>
#include <openssl/crypto.h>
#include <sqlite3.h>

// Weak: .ci/release.sh links replacements for these two, so that a release compiles no other file again.
__attribute__((weak)) const char *version_commit(void) { return ""; }
__attribute__((weak)) const char *version_compiler(void) { return __VERSION__; }
const char *version_openssl(void) { return OpenSSL_version(OPENSSL_VERSION_STRING); }
const char *version_nghttp2(void) { return nghttp2_version(0)->version_str; }
const char *version_sqlite(void) { return sqlite3_libversion(); }
const char *version_libzip(void) { return czip_missing() ? "missing" : zip_libzip_version(); }
