"""Runs statements on a PostgreSQL server through libpq, since the server's package has no client.

usage: sql.py CONNECTION SQL...

CONNECTION: a libpq connection string, such as "host=/tmp/server user=postgres". Exit: 0, or 1 with the server's message.
"""
import ctypes
import sys


def run(connection, *statements):
    """Runs statements; ends the program with the error if one fails."""
    libpq = ctypes.CDLL("libpq.so.5")
    for name, result in [("PQconnectdb", ctypes.c_void_p), ("PQexec", ctypes.c_void_p), ("PQerrorMessage", ctypes.c_char_p)]:
        getattr(libpq, name).restype = result
    handle = ctypes.c_void_p(libpq.PQconnectdb(connection.encode()))
    for statement in statements:
        libpq.PQclear(ctypes.c_void_p(libpq.PQexec(handle, statement.encode())))
        if trouble := libpq.PQerrorMessage(handle):
            sys.exit(f"MISSING  {trouble.decode()}")
    libpq.PQfinish(handle)


if __name__ == "__main__":
    run(*sys.argv[1:])
