#!/usr/bin/env python3
"""exp.py PROGRAM: judges exp_rounded, exp_wide and log1p_fixed (t/unit/exp.c) by decimal arithmetic.

exp must be the exact value rounded once; log1p within an ulp. Names the first
few arguments that fail.
"""
import math
import random
import struct
import subprocess
import sys
from decimal import Decimal, getcontext

getcontext().prec = 75

# Where a fast path cannot decide: very near the middle of two binary64.
HARD = ["0x1.9e9cbbfd6080bp-31", "0x1.accfbe46b4efp-1", "0x1p-53", "-0x1p-54", "-0x1.0000000000001p-54"]
# Tiny: 1 and its neighbours. Large: the last finite and the first infinite, the
# least normal, the least subnormal, the first that is 0.
EDGES = [
    "0x0p0", "-0x0p0", "0x1p-1074", "-0x1p-1074", "0x1.fffffffffffffp-54", "0x1.0000000000001p-53",
    "0x1.8p-53", "0x1.62e42fefa39efp+9", "0x1.62e42fefa39fp+9", "0x1.7p+9", "0x1p+1023",
    "-0x1.6232bdd7abcd2p+9", "-0x1.6232bdd7abcd3p+9", "-0x1.74385446d71c3p+9",
    "-0x1.74385446d71c4p+9", "-0x1.74910d52d3051p+9", "-0x1.74910d52d3052p+9", "-0x1.75p+9", "-0x1p+1023",
]  # fmt: skip


def arguments():
    rng = random.Random(20261130)
    edges = [float.fromhex(v) for v in HARD + EDGES]
    for x in edges:
        yield x
        yield math.nextafter(x, math.inf) if hasattr(math, "nextafter") else x
        yield math.nextafter(x, -math.inf) if hasattr(math, "nextafter") else x
    for _ in range(40000):
        yield rng.uniform(-1, 1)
    for _ in range(30000):
        yield rng.uniform(-745, 710)
    for _ in range(20000):
        yield rng.choice((-1, 1)) * math.ldexp(rng.uniform(1, 2), rng.randint(-60, 8))
    for _ in range(10000):  # subnormal results
        yield rng.uniform(-745.2, -708.3)


def exp(x):
    if x > 1000 or x < -1000:
        return math.inf if x > 0 else 0.0
    return float(Decimal(x).exp())


def log1p_fails(x, got):
    if x <= -1 or math.isinf(x):
        return got != -math.inf if x == -1 else x < 0 and not math.isnan(got)
    exact = (1 + Decimal(x)).ln() if abs(x) > 2.0**-100 else Decimal(x)
    ulp = math.ulp(float(exact)) if hasattr(math, "ulp") else abs(float(exact)) * 2.0**-52
    return abs(Decimal(got) - exact) > Decimal(ulp)


def main():
    xs = list(arguments())
    data = struct.pack("<%dd" % len(xs), *xs)
    got = subprocess.run([sys.argv[1], "-"], input=data, stdout=subprocess.PIPE, check=True).stdout
    if len(got) != 3 * len(data):
        sys.exit("%d answers for %d arguments" % (len(got) // 24, len(xs)))
    bad = 0
    for i, (x, (fast, wide, log)) in enumerate(zip(xs, struct.iter_unpack("<3d", got))):
        want = exp(x)
        if fast != want or wide != want:
            print("exp(%s) = %s, not %s (wide %s)" % (x.hex(), want.hex(), fast.hex(), wide.hex()))
            bad += 1
        if i % 10 == 0 and log1p_fails(x, log):
            print("log1p(%s) = %s" % (x.hex(), log.hex()))
            bad += 1
        if bad > 10:
            break
    sys.exit(bad > 0)


main()
