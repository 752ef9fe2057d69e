"""Copies a store with hostile text in every place where a network could have put some.

usage: hostile.py STORE COPY
"""

import json
import sqlite3
import sys

TEXTS = [
    "<script>window.taken=1</script>", '"><img src=x onerror="window.taken=1">', '"\u0301 onmouseover="window.taken=1',
    "'\u0301 onfocus='window.taken=1", "\u001b]0;taken\u0007", "\u202egnp.exe", "{{script}}", "</script><script>window.taken=1//",
    "x" * 10_000,
]


def quoted(text):
    """The text as part of a JSON string."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


source = sqlite3.connect(sys.argv[1])
copy = sqlite3.connect(sys.argv[2])
source.backup(copy)
rows = copy.execute("SELECT id, host, text FROM shared").fetchall()
for number, (row, host, text) in enumerate(rows):
    hostile = TEXTS[number % len(TEXTS)]
    for name in {host, "phone", "CN=" + host, "atsgate lab root"}:
        text = text.replace(name, quoted(hostile))
    copy.execute("UPDATE shared SET host = ?, text = ? WHERE id = ?", (hostile, text, row))
    # The findings and the device's lines name the host, too.
    diagnoses = copy.execute(
        "SELECT id, text FROM diagnosis WHERE id IN (SELECT diagnosis FROM load WHERE shared = ?)", (row,)).fetchall()
    for diagnosis, text in diagnoses:
        copy.execute("UPDATE diagnosis SET text = ? WHERE id = ?", (text.replace(host, quoted(hostile)), diagnosis))
    loads = copy.execute("SELECT seq, more FROM load WHERE shared = ? AND more IS NOT NULL", (row,)).fetchall()
    for seq, more in loads:
        copy.execute("UPDATE load SET more = ? WHERE seq = ?", (more.replace(host, quoted(hostile)), seq))
copy.commit()
