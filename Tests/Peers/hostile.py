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
forms = copy.execute("SELECT id, host, text FROM form").fetchall()
for number, (form, host, text) in enumerate(forms):
    hostile = TEXTS[number % len(TEXTS)]
    for name in {host, "phone", "CN=" + host, "atsgate lab root"}:
        text = text.replace(name, quoted(hostile))
    copy.execute("UPDATE form SET host = ?, text = ? WHERE id = ?", (hostile, text, form))
    for seq, entry in copy.execute("SELECT seq, entry FROM load WHERE form = ?", (form,)).fetchall():
        # The findings and the device's lines name the host, too.
        copy.execute("UPDATE load SET entry = ? WHERE seq = ?", (entry.replace(host, quoted(hostile)), seq))
copy.commit()
