#!/usr/bin/env python3
"""Writes exp_table.c: 2^(j/64) as a sum of two binary64, each rounded to nearest."""
from decimal import Decimal, getcontext

getcontext().prec = 60

print("/* Written by lib/exp_table.py. */")
print('#include "lib/exp.h"\n')
print("/* clang-format off */")
print("const double exp_table[64][2] = {")
for j in range(64):
    exact = Decimal(2) ** (Decimal(j) / 64)
    hi = float(exact)
    lo = float(exact - Decimal(hi))
    print("\t{%s, %s}," % (hi.hex(), lo.hex()))
print("};")
