#include "CPostgres.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static const char *const names[] = {
#if defined(__APPLE__)
    // Homebrew's directories on its two kinds of machine, and the folder of other installers. Never a name without a
    // folder: dlopen(3) of macOS also searches the current folder for it.
    "/opt/homebrew/opt/libpq/lib/libpq.5.dylib",
    "/usr/local/opt/libpq/lib/libpq.5.dylib",
    "/usr/local/lib/libpq.5.dylib",
#else
    "libpq.so.5",
#endif
};

// clang-format off
#define EACH(FUNCTION) \
    FUNCTION(lib_version, PQlibVersion) FUNCTION(connect_start_params, PQconnectStartParams) \
    FUNCTION(connect_poll, PQconnectPoll) FUNCTION(finish, PQfinish) FUNCTION(status, PQstatus) \
    FUNCTION(socket, PQsocket) FUNCTION(server_version, PQserverVersion) FUNCTION(host, PQhost) \
    FUNCTION(port, PQport) FUNCTION(pass, PQpass) FUNCTION(error_message, PQerrorMessage) \
    FUNCTION(conninfo, PQconninfo) FUNCTION(conninfo_parse, PQconninfoParse) \
    FUNCTION(conninfo_free, PQconninfoFree) \
    FUNCTION(setnonblocking, PQsetnonblocking) FUNCTION(send_query, PQsendQuery) \
    FUNCTION(send_query_params, PQsendQueryParams) FUNCTION(flush, PQflush) FUNCTION(consume_input, PQconsumeInput) \
    FUNCTION(set_single_row_mode, PQsetSingleRowMode) FUNCTION(is_busy, PQisBusy) FUNCTION(get_result, PQgetResult) \
    FUNCTION(freemem, PQfreemem) \
    FUNCTION(notifies, PQnotifies) FUNCTION(result_status, PQresultStatus) \
    FUNCTION(result_error_field, PQresultErrorField) FUNCTION(result_error_message, PQresultErrorMessage) \
    FUNCTION(ntuples, PQntuples) FUNCTION(nfields, PQnfields) FUNCTION(getisnull, PQgetisnull) \
    FUNCTION(getlength, PQgetlength) FUNCTION(getvalue, PQgetvalue) FUNCTION(cmd_status, PQcmdStatus) \
    FUNCTION(cmd_tuples, PQcmdTuples) FUNCTION(clear, PQclear)
// clang-format on

// The functions of libpq, with the types that the header declares.
#define MEMBER(name, symbol) __typeof__(pq_##name) *name;
static struct {
    EACH(MEMBER)
    void (*(*set_notice_processor)(PGconn *, void (*)(void *, const char *), void *))(void *, const char *);
} libpq;

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
#define FIND(name, symbol) \
    libpq.name = (__typeof__(libpq.name))dlsym(library, #symbol); \
    if (!libpq.name) return keep_trouble();
    EACH(FIND)
    FIND(set_notice_processor, PQsetNoticeProcessor)
    missing = 0;
}

const char *cpostgres_missing(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return missing;
}

static void drop(void *nothing, const char *message) {
    (void)nothing;
    (void)message;
}

void cpostgres_quiet(PGconn *connection) { libpq.set_notice_processor(connection, drop, 0); }

int pq_lib_version(void) { return libpq.lib_version(); }
PGconn *pq_connect_start_params(const char *const *keywords, const char *const *values, int expand_dbname) {
    return libpq.connect_start_params(keywords, values, expand_dbname);
}
int pq_connect_poll(PGconn *connection) { return libpq.connect_poll(connection); }
void pq_finish(PGconn *connection) { libpq.finish(connection); }
int pq_status(const PGconn *connection) { return libpq.status(connection); }
int pq_socket(const PGconn *connection) { return libpq.socket(connection); }
int pq_server_version(const PGconn *connection) { return libpq.server_version(connection); }
char *pq_host(const PGconn *connection) { return libpq.host(connection); }
char *pq_port(const PGconn *connection) { return libpq.port(connection); }
char *pq_pass(const PGconn *connection) { return libpq.pass(connection); }
char *pq_error_message(const PGconn *connection) { return libpq.error_message(connection); }
pq_option *pq_conninfo(PGconn *connection) { return libpq.conninfo(connection); }
pq_option *pq_conninfo_parse(const char *text, char **error) { return libpq.conninfo_parse(text, error); }
void pq_conninfo_free(pq_option *options) { libpq.conninfo_free(options); }
int pq_setnonblocking(PGconn *connection, int nonblocking) { return libpq.setnonblocking(connection, nonblocking); }
int pq_send_query(PGconn *connection, const char *command) { return libpq.send_query(connection, command); }
int pq_send_query_params(
    PGconn *connection, const char *command, int count, const Oid *types, const char *const *values,
    const int *lengths, const int *formats, int result_format) {
    return libpq.send_query_params(connection, command, count, types, values, lengths, formats, result_format);
}
int pq_flush(PGconn *connection) { return libpq.flush(connection); }
int pq_consume_input(PGconn *connection) { return libpq.consume_input(connection); }
int pq_set_single_row_mode(PGconn *connection) { return libpq.set_single_row_mode(connection); }
int pq_is_busy(PGconn *connection) { return libpq.is_busy(connection); }
PGresult *pq_get_result(PGconn *connection) { return libpq.get_result(connection); }
void pq_freemem(void *memory) { libpq.freemem(memory); }
pq_notification *pq_notifies(PGconn *connection) { return libpq.notifies(connection); }
int pq_result_status(const PGresult *result) { return libpq.result_status(result); }
char *pq_result_error_field(const PGresult *result, int field) { return libpq.result_error_field(result, field); }
char *pq_result_error_message(const PGresult *result) { return libpq.result_error_message(result); }
int pq_ntuples(const PGresult *result) { return libpq.ntuples(result); }
int pq_nfields(const PGresult *result) { return libpq.nfields(result); }
int pq_getisnull(const PGresult *result, int row, int column) { return libpq.getisnull(result, row, column); }
int pq_getlength(const PGresult *result, int row, int column) { return libpq.getlength(result, row, column); }
char *pq_getvalue(const PGresult *result, int row, int column) { return libpq.getvalue(result, row, column); }
char *pq_cmd_status(PGresult *result) { return libpq.cmd_status(result); }
char *pq_cmd_tuples(PGresult *result) { return libpq.cmd_tuples(result); }
void pq_clear(PGresult *result) { libpq.clear(result); }
