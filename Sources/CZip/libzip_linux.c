#if defined(__linux__)
// Hidden, so that only this program uses our functions: libzip itself keeps calling its own.
#define ZIP_EXTERN __attribute__((visibility("hidden")))
#include "CZip.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

// Debian named the file libzip.so.4 until release 12, because version .5 removed one function, which is not used below.
// Source: changelog of Debian's libzip, 1.5.1-2, 1.6.1-3 and 1.7.3-1.
static const char *const names[] = {"libzip.so.5", "libzip.so.4"};

// clang-format off
#define EACH(FUNCTION) \
    FUNCTION(close) FUNCTION(discard) FUNCTION(error_fini) FUNCTION(error_init_with_code) FUNCTION(error_strerror) \
    FUNCTION(fclose) FUNCTION(file_add) FUNCTION(file_strerror) FUNCTION(fopen_index) FUNCTION(fread) \
    FUNCTION(get_name) FUNCTION(get_num_entries) FUNCTION(libzip_version) FUNCTION(open) FUNCTION(source_buffer) \
    FUNCTION(strerror)
// clang-format on

// The functions of libzip, with the types that its header declares.
#define MEMBER(name) __typeof__(zip_##name) *name;
static struct {
    EACH(MEMBER)
} libzip;

static char trouble[512];
static const char *missing = trouble;

static void keep_trouble(void) {
    const char *told = dlerror();
    snprintf(trouble, sizeof trouble, "%s", told ? told : names[0]);
}

static void load(void) {
    void *library = 0;
    for (unsigned at = 0; !library && at < sizeof names / sizeof *names; at += 1) {
        library = dlopen(names[at], RTLD_NOW | RTLD_LOCAL);
        // If several names fail, keep the error of the first.
        if (!library && !*trouble) keep_trouble();
    }
    if (!library) return;
#define FIND(name) \
    libzip.name = (__typeof__(zip_##name) *)dlsym(library, "zip_" #name); \
    if (!libzip.name) return keep_trouble();
    EACH(FIND)
    missing = 0;
}

const char *czip_missing(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return missing;
}

int zip_close(zip_t *archive) { return libzip.close(archive); }
void zip_discard(zip_t *archive) { libzip.discard(archive); }
void zip_error_fini(zip_error_t *error) { libzip.error_fini(error); }
void zip_error_init_with_code(zip_error_t *error, int code) { libzip.error_init_with_code(error, code); }
const char *zip_error_strerror(zip_error_t *error) { return libzip.error_strerror(error); }
int zip_fclose(zip_file_t *file) { return libzip.fclose(file); }
zip_int64_t zip_file_add(zip_t *archive, const char *name, zip_source_t *source, zip_flags_t flags) {
    return libzip.file_add(archive, name, source, flags);
}
const char *zip_file_strerror(zip_file_t *file) { return libzip.file_strerror(file); }
zip_file_t *zip_fopen_index(zip_t *archive, zip_uint64_t index, zip_flags_t flags) {
    return libzip.fopen_index(archive, index, flags);
}
zip_int64_t zip_fread(zip_file_t *file, void *bytes, zip_uint64_t room) { return libzip.fread(file, bytes, room); }
const char *zip_get_name(zip_t *archive, zip_uint64_t index, zip_flags_t flags) {
    return libzip.get_name(archive, index, flags);
}
zip_int64_t zip_get_num_entries(zip_t *archive, zip_flags_t flags) { return libzip.get_num_entries(archive, flags); }
const char *zip_libzip_version(void) { return libzip.libzip_version(); }
zip_t *zip_open(const char *path, int flags, int *code) {
    if (czip_missing()) {
        if (code) *code = ZIP_ER_OPNOTSUPP;
        return 0;
    }
    return libzip.open(path, flags, code);
}
zip_source_t *zip_source_buffer(zip_t *archive, const void *bytes, zip_uint64_t count, int frees) {
    return libzip.source_buffer(archive, bytes, count, frees);
}
const char *zip_strerror(zip_t *archive) { return libzip.strerror(archive); }
#endif
