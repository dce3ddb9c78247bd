#ifndef EASEL_CSQLITE_SHIM_H
#define EASEL_CSQLITE_SHIM_H

// SQLite's C interface, as Debian installs it.
#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast of -1 to a function pointer, which Swift does not import.
static inline int easel_sqlite3_bind_text_copy(sqlite3_stmt *statement, int index, const char *text, int bytes) {
    return sqlite3_bind_text(statement, index, text, bytes, SQLITE_TRANSIENT);
}

#endif
