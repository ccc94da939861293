# wanted.py LIST DIR: for each line of the list (file, options, closes) the echo request of the
# closes, as DIR/FILE.
import struct
import sys

for line in open(sys.argv[1]):
    if line.startswith("#"):
        continue
    name, _, closes = line.rstrip("\n").split("\t")
    x = [] if closes == "-" else [float(c) for c in closes.split()]
    body = struct.pack("<BII", 1, len(x), 0) + struct.pack("<%dd" % len(x), *x)
    with open(sys.argv[2] + "/" + name, "wb") as f:
        f.write(struct.pack("<I", len(body)) + body)
