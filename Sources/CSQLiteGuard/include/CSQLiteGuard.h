#pragma once

struct sqlite3;

/// Takes from a connection what the file it reads could use: functions that are not marked as innocuous within views,
/// triggers and indexes (SQLITE_DBCONFIG_TRUSTED_SCHEMA off), and every statement that could damage a file on purpose
/// (SQLITE_DBCONFIG_DEFENSIVE). Calls of variable arguments, which Swift cannot make.
///
/// Source: sqlite.org/security.html section 1.2; sqlite.org/c3ref/c_dbconfig_defensive.html.
///
/// Returns SQLITE_OK, or the code of the first call that failed.
int csqlite_guard(struct sqlite3 *connection);
