// libpq, PostgreSQL's client library, loaded on first use instead of linked: a gate without a shared store does not
// need it. Building needs no libpq headers; the declarations below follow its documentation. Source: PostgreSQL 15,
// chapter 34 ("libpq"), https://www.postgresql.org/docs/15/libpq.html, read 2026-11-23. Its file has been libpq.so.5
// since release 8.0 (2005), and no function has been removed since.
#ifndef CPOSTGRES_H
#define CPOSTGRES_H

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
typedef unsigned int Oid;

// PQconninfoOption of section 34.1.
typedef struct {
    char *keyword, *envvar, *compiled, *val, *label, *dispchar;
    int dispsize;
} pq_option;

// PGnotify of section 34.9.
typedef struct {
    char *relname;
    int be_pid;
    char *extra;
} pq_notification;

// Numbers of the library's types: part of its ABI, and never changed.
enum pq_status { PQ_CONNECTION_OK = 0, PQ_CONNECTION_BAD = 1, PQ_CONNECTION_STARTED = 2 };
enum pq_polling { PQ_POLLING_FAILED = 0, PQ_POLLING_READING = 1, PQ_POLLING_WRITING = 2, PQ_POLLING_OK = 3 };
enum pq_result_status {
    PQ_EMPTY_QUERY = 0,
    PQ_COMMAND_OK = 1,
    PQ_TUPLES_OK = 2,
    PQ_COPY_OUT = 3,
    PQ_COPY_IN = 4,
    PQ_NONFATAL_ERROR = 6,
    PQ_SINGLE_TUPLE = 9
};

// Loads libpq. Returns NULL on success, else the loader's error, which stays valid for the life of the process. Every
// function below requires that this returned NULL. Callable from any thread.
const char *cpostgres_missing(void);

// Discards notices of the library and the server, which go to standard error by default.
void cpostgres_quiet(PGconn *connection);

// Each calls its namesake: pq_connect_start_params is PQconnectStartParams.
int pq_lib_version(void);
PGconn *pq_connect_start_params(const char *const *keywords, const char *const *values, int expand_dbname);
int pq_connect_poll(PGconn *connection);
void pq_finish(PGconn *connection);
int pq_status(const PGconn *connection);
int pq_socket(const PGconn *connection);
int pq_server_version(const PGconn *connection);
char *pq_host(const PGconn *connection);
char *pq_port(const PGconn *connection);
char *pq_pass(const PGconn *connection);
char *pq_error_message(const PGconn *connection);
pq_option *pq_conninfo(PGconn *connection);
pq_option *pq_conninfo_parse(const char *text, char **error);
void pq_conninfo_free(pq_option *options);
int pq_setnonblocking(PGconn *connection, int nonblocking);
int pq_send_query(PGconn *connection, const char *command);
int pq_send_query_params(
    PGconn *connection, const char *command, int count, const Oid *types, const char *const *values, const int *lengths,
    const int *formats, int result_format);
int pq_flush(PGconn *connection);
int pq_consume_input(PGconn *connection);
int pq_set_single_row_mode(PGconn *connection);
int pq_is_busy(PGconn *connection);
PGresult *pq_get_result(PGconn *connection);
void pq_freemem(void *memory);
pq_notification *pq_notifies(PGconn *connection);
int pq_result_status(const PGresult *result);
char *pq_result_error_field(const PGresult *result, int field);
char *pq_result_error_message(const PGresult *result);
int pq_ntuples(const PGresult *result);
int pq_nfields(const PGresult *result);
int pq_getisnull(const PGresult *result, int row, int column);
int pq_getlength(const PGresult *result, int row, int column);
char *pq_getvalue(const PGresult *result, int row, int column);
char *pq_cmd_status(PGresult *result);
char *pq_cmd_tuples(PGresult *result);
void pq_clear(PGresult *result);

#endif
