#pragma once

struct sqlite3;

/// Limits what a hostile database file can do through a connection. Functions that are not marked innocuous are
/// disabled in views, triggers and indexes (SQLITE_DBCONFIG_TRUSTED_SCHEMA off), and so are statements that can corrupt
/// a file (SQLITE_DBCONFIG_DEFENSIVE). In C, because Swift cannot call functions with variable arguments.
///
/// Source: sqlite.org/security.html section 1.2; sqlite.org/c3ref/c_dbconfig_defensive.html.
///
/// Returns SQLITE_OK, or the code of the first call that failed.
int csqlite_guard(struct sqlite3 *connection);
