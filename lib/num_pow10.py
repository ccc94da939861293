#!/usr/bin/env python3
"""Makes lib/num_pow10.c: powers of ten in 128 bits. Usage: num_pow10.py >lib/num_pow10.c

With --prove checks instead what num_format relies on, exactly, in integers:
the logarithm formulas over their whole ranges, and that no binary64 (nor a
midpoint of two) lies so near an integer after scaling that 128 bits could
mistake the side on which it lies.
"""
import sys

MIN, MAX = -342, 324
STEP_MIN, STEP_MAX = -68, -4


def exponent(p):
    """floor(log2(10^p)), exactly."""
    return (10**p).bit_length() - 1 if p >= 0 else -((10**-p - 1).bit_length())


def mantissa(p):
    """10^p / 2^(exponent(p) - 127), rounded up: 128 bits."""
    s = 127 - exponent(p)
    if p >= 0:
        return 10**p << s if s >= 0 else -(-(10**p) >> -s)
    return -((-1 << s) // 10**-p)


def table():
    print("/* Made by num_pow10.py: do not edit. */")
    print('#include "lib/num_pow10.h"\n')
    print("const uint64_t num_pow10[NUM_POW10_MAX - NUM_POW10_MIN + 1][2] = {")
    for p in range(MIN, MAX + 1):
        m = mantissa(p)
        assert 1 << 127 <= m < 1 << 128
        high = -(-m >> 64)  # rounded up; the low word says by how much
        print("    {0x%016x, 0x%016x}, /* 1e%d */" % (high, (high << 64) - m, p))
    print("};\n")
    print("const struct num_step num_steps[NUM_STEP_MAX - NUM_STEP_MIN + 1] = {")
    for e in range(STEP_MIN, STEP_MAX + 1):
        p = -1 - floor_log10(1, 1 << -e)
        step = (10**p << 64) >> -e
        assert step << -e == 10**p << 64 and step % (1 << 14) == 0, e
        assert 1 << 64 <= 10 * step < 10 << 64 and 2**52 * 10 * step < 10**17 << 64, e
        row = "{0x%016x, %d}," % (step, 16 - p)
        print("    %-25s /* 2^%d * 1e%d */" % (row, e, p))
    print("};")


def nearest(a, m, n):
    """The least r > 0 with r = x*a mod m or -x*a mod m for some 0 < x < n: the
    convergents of a/m give the best approximations from both sides."""
    low, high, x, y = a % m, m - a % m, 1, 1  # of x: above, of y: below an integer
    best = m
    while True:
        if x < n and 0 < low < best:
            best = low
        if y < n and 0 < high < best:
            best = high
        if low == 0 or high == 0 or (x >= n and y >= n):
            return best
        if low < high:  # y + k*x takes k*low off
            k = (high - 1) // low
            k = min(k, max(1, (n - 1 - y) // x)) or 1
            high -= k * low
            y += k * x
        else:
            k = (low - 1) // high
            k = min(k, max(1, (n - 1 - x) // y)) or 1
            low -= k * high
            x += k * y


def floor_log10(num, den):
    """floor(log10(num/den))"""
    k = len(str(num)) - len(str(den))
    below = num < den * 10**k if k >= 0 else num * 10**-k < den
    return k - 1 if below else k


def prove():
    for p in range(MIN, MAX + 1):
        assert exponent(p) == p * 217706 >> 16, p
    worst = None
    for e in range(-1074, 972):
        num, den = (1 << e, 1) if e >= 0 else (1, 1 << -e)
        assert floor_log10(num, den) == e * 315653 >> 20, e
        assert floor_log10(3 * num, 4 * den) == (e * 631305 - 261663) >> 21, e
        for p in {-(e * 315653 >> 20), -((e * 631305 - 261663) >> 21)}:
            # Values are x * 2^(e-2) * 10^p with x < 2^55 + 2; as a / m:
            num, den = (10**p, 1) if p >= 0 else (1, 10**-p)
            num, den = (num << e - 2, den) if e >= 2 else (num, den << 2 - e)
            # Halves matter too (rounding), so the doubled value is looked at.
            r = nearest(2 * num, den, (1 << 55) + 2)
            bits = (den // r).bit_length() if r else 0
            # The error: below 2^64 in a 192-bit product whose top word holds
            # at most 58 bits of the doubled value: 2^-(6+64) of its unit.
            assert bits <= 69, (e, p, bits)
            worst = max(worst or 0, bits)
    print("nearest to an integer without being one: 2^-%d; 2^-70 is told apart" % worst)


if __name__ == "__main__":
    prove() if sys.argv[1:] == ["--prove"] else table()
