#pragma once

// Texts that stay valid for the life of the process. Versions of libraries are those loaded at run time, not those at
// build time.

/// The commit of the build, as set by .ci/release.sh; empty in other builds.
const char *version_commit(void);
/// The compiler of the build, as set by .ci/release.sh; in other builds, the one that compiled this file.
const char *version_compiler(void);
/// For example "3.0.17". Source: OpenSSL_version(3).
const char *version_openssl(void);
/// For example "1.52.0". Source: nghttp2_version(3).
const char *version_nghttp2(void);
/// For example "3.40.1". Source: sqlite.org/c3ref/libversion.html.
const char *version_sqlite(void);
/// For example "1.7.3"; "missing" if it is not installed. Source: zip_libzip_version(3).
const char *version_libzip(void);
