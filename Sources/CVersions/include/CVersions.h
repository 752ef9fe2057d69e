#pragma once

// Texts that live as long as the process. Those of libraries name what is loaded, not what was there when the program
// was built.

/// The commit that the program was built from, as .ci/release.sh tells it; empty in other builds.
const char *version_commit(void);
/// The compiler that built it, as .ci/release.sh tells it; in other builds that of this file.
const char *version_compiler(void);
/// As in "3.0.17". Source: OpenSSL_version(3).
const char *version_openssl(void);
/// As in "1.52.0". Source: nghttp2_version(3).
const char *version_nghttp2(void);
/// As in "3.40.1". Source: sqlite.org/c3ref/libversion.html.
const char *version_sqlite(void);
/// As in "1.7.3"; "missing" where it is not installed. Source: zip_libzip_version(3).
const char *version_libzip(void);
