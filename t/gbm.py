#!/usr/bin/env python3
"""An independent evaluation of the price series, with the standard library alone.

usage: gbm.py [--bars N] [--seed S] [--sigma X] [--mu X] [--start X] [--normals]
       gbm.py --ziggurat

Writes little-endian binary64 like gbmgen(1). Draws are big integers, exp is 70
digits of decimal rounded once. The layers are read from lib/rng_ziggurat.c;
--ziggurat compares those with the equations they solve.
"""
import argparse
import math
import os
import re
import struct
import sys
from decimal import Decimal, getcontext

getcontext().prec = 70
M32, M64, M128 = (1 << 32) - 1, (1 << 64) - 1, (1 << 128) - 1
HERE = os.path.dirname(os.path.abspath(__file__))
R = 3.6541528853610087963519472518
INVERSE_R = 0.27366123732975827203338247596


def layers():
    """(inside, width, height), 256 of each."""
    with open(os.path.join(HERE, "../lib/rng_ziggurat.c"), encoding="ascii") as f:
        text = f.read()
    inside, width, height = (
        body.replace("\n", " ").replace(",", " ").split()
        for body in re.findall(r"\[256\] = \{(.*?)\}", text, re.S)
    )
    return [int(v, 16) for v in inside], [float.fromhex(v) for v in width], [float.fromhex(v) for v in height]


def exp(x):
    return float(Decimal(x).exp())


class SeedWords:
    """NumPy's SeedSequence for one integer of up to 64 bits."""

    def __init__(self, seed):
        entropy = [seed & M32] + ([seed >> 32] if seed >> 32 else [])
        self.constant = 0x43B0D7E5
        self.pool = [self.hash(entropy[i] if i < len(entropy) else 0, 0x931E8875) for i in range(4)]
        for source in range(4):
            for target in range(4):
                if source != target:
                    hashed = self.hash(self.pool[source], 0x931E8875)
                    mixed = (0xCA01F9DD * self.pool[target] - 0x4973F715 * hashed) & M32
                    self.pool[target] = mixed ^ mixed >> 16

    def hash(self, value, multiplier):
        value ^= self.constant
        self.constant = self.constant * multiplier & M32
        value = value * self.constant & M32
        return value ^ value >> 16

    def words64(self):
        self.constant = 0x8B51F9DD
        words = [self.hash(self.pool[i % 4], 0x58F38DED) for i in range(8)]
        return [words[i] | words[i + 1] << 32 for i in range(0, 8, 2)]


class Pcg64:
    MULTIPLIER = 2549297995355413924 << 64 | 4865540595714422341

    def __init__(self, seed):
        q = SeedWords(seed).words64()
        self.increment = ((q[2] << 64 | q[3]) << 1 | 1) & M128
        self.state = 0
        self.step()
        self.state = (self.state + (q[0] << 64 | q[1])) & M128
        self.step()

    def step(self):
        self.state = (self.state * self.MULTIPLIER + self.increment) & M128

    def draw(self):
        self.step()
        value, turn = (self.state >> 64 ^ self.state) & M64, self.state >> 122
        return (value >> turn | value << (64 - turn)) & M64

    def uniform(self):
        return (self.draw() >> 11) / 2.0**53


LG = [
    6.666666666666735130e-01,
    3.999999999940941908e-01,
    2.857142874366239149e-01,
    2.222219843214978396e-01,
    1.818357216161805012e-01,
    1.531383769920937332e-01,
    1.479819860511658591e-01,
]
LN2_HI, LN2_LO = 6.93147180369123816490e-01, 1.90821492927058770002e-10


def log1p(x):
    """fdlibm's, for -1 < x <= 0."""
    if x > -(2.0**-29):
        return x if x > -(2.0**-54) else x - x * x * 0.5
    k, lost = 0, 0.0
    if x > -float.fromhex("0x1.2bec4p-2"):
        f, tiny = x, False
    else:
        u = 1.0 + x
        m, k = math.frexp(u)
        m, k = m * 2, k - 1
        lost = (x - (u - 1.0)) / u  # k > 0 cannot be
        tiny = m < 1 + 2.0**-20 or m >= 2 - 3 * 2.0**-20
        if m >= float.fromhex("0x1.6a09ep0"):
            m, k = m / 2, k + 1
        f = m - 1.0
    half_square = 0.5 * f * f
    if tiny:
        if f == 0:
            return k * LN2_HI + (lost + k * LN2_LO)
        r = half_square * (1.0 - 0.66666666666666666 * f)
        return f - r if k == 0 else k * LN2_HI - ((r - (k * LN2_LO + lost)) - f)
    s = f / (2.0 + f)
    z = s * s
    r = 0.0
    for c in reversed(LG):
        r = z * (c + r)
    if k == 0:
        return f - (half_square - s * (half_square + r))
    return k * LN2_HI - ((half_square - (s * (half_square + r) + (k * LN2_LO + lost))) - f)


def normals(seed):
    inside, width, height = layers()
    rng = Pcg64(seed)
    while True:
        r = rng.draw()
        i, r = r & 255, r >> 8
        m = r >> 1 & (1 << 52) - 1
        x = -(m * width[i]) if r & 1 else m * width[i]
        if m < inside[i]:
            yield x
        elif i == 0:
            while True:
                a = -log1p(-rng.uniform()) * INVERSE_R
                b = -log1p(-rng.uniform())
                if b + b > a * a:
                    break
            yield -(R + a) if m >> 8 & 1 else R + a
        elif (height[i - 1] - height[i]) * rng.uniform() + height[i] < exp(-x * x / 2):
            yield x


def closes(o):
    s = 0.0
    for z in normals(o.seed):
        s = s + (o.mu + o.sigma * z)
        yield o.start * exp(s)


def check_ziggurat():
    """The layers against 256 equal areas below exp(-x^2/2): 30 units of the last place at most."""
    inside, width, height = layers()
    end = Decimal("3.6541528853610087963519472518")

    def f(x):
        return (-x * x / 2).exp()

    tail = end  # Laplace's continued fraction for the area beyond the end
    for k in range(400, 0, -1):
        tail = end + k / tail
    area = end * f(end) + f(end) / tail
    x = [area / f(end)] + [Decimal(0)] * 254 + [end]
    for i in range(254, 0, -1):
        x[i] = (-2 * (f(x[i + 1]) + area / x[i + 1]).ln()).sqrt()
    for i in range(256):
        ends = (end / x[0] if i == 0 else Decimal(0) if i == 1 else x[i - 1] / x[i]) * 2**52
        top = Decimal(1) if i == 0 else f(x[i])
        if abs(ends - inside[i]) > 64:
            sys.exit("inside[%d] is %d, not %s" % (i, inside[i], ends))
        if abs(x[i] / 2**52 / Decimal(width[i]) - 1) > Decimal("3e-14"):
            sys.exit("width[%d] is %r, not %s" % (i, width[i], x[i] / 2**52))
        if abs(top / Decimal(height[i]) - 1) > Decimal("3e-14"):
            sys.exit("height[%d] is %r, not %s" % (i, height[i], top))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--bars", type=int, default=150000)
    p.add_argument("--seed", type=int, default=42)
    p.add_argument("--sigma", type=float, default=0.0008)
    p.add_argument("--mu", type=float, default=0.0)
    p.add_argument("--start", type=float, default=100.0)
    p.add_argument("--normals", action="store_true")
    p.add_argument("--ziggurat", action="store_true")
    o = p.parse_args()
    if o.ziggurat:
        check_ziggurat()
        return
    values = normals(o.seed) if o.normals else closes(o)
    for _ in range(o.bars):
        sys.stdout.buffer.write(struct.pack("<d", next(values)))


main()
