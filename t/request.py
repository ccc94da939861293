# An independent writer of requests, from the description of the format alone:
# request.py OP [slot=N] [flags=N] [sets=MIN:MAX:COUNT] [first=I] [end=I] [CLOSE...]
# first and end pick sets of the grid.
import math
import struct
import sys

OPS = ["sweep", "echo", "load", "sweep-slot", "append", "open", "tick", "stats"]


def windows(n):
    p = max(1, round(n / 2))  # Python's round is rint: ties to even
    return [p, n, max(1, round(math.sqrt(n))), max(1, round(p / 3)), max(1, round(p / 2)), p]


def grid(text):
    low, high, count = map(int, text.split(":"))
    return [windows(low + k * (high - low) // max(1, count - 1)) for k in range(count)]


op = OPS.index(sys.argv[1])
closes, said = [], {}
for word in sys.argv[2:]:
    key, _, value = word.partition("=")
    if value:
        said[key] = value
    else:
        closes.append(float(word))
sets = grid(said["sets"]) if "sets" in said else []
sets = sets[int(said.get("first", 0)) : int(said.get("end", len(sets)))]
body = struct.pack("<BII", op | int(said.get("flags", 0)), len(closes), len(sets))
if op in (2, 3, 4, 5):
    body += struct.pack("<I", int(said.get("slot", 0)))
body += b"".join(struct.pack("<d", x) for x in closes)
body += b"".join(struct.pack("<6q", *x) for x in sets)
sys.stdout.buffer.write(struct.pack("<I", len(body)) + body)
