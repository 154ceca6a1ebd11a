#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes landscape.png, the picture that ships with the example: mountains by a lake, all by formula."""
import math
import struct
import sys
import zlib

WIDTH, HEIGHT, SHORE = 640, 426, 290


def noise(x, seed):
    """Smooth value noise in one dimension."""
    def corner(i):
        h = (i * 374761393 + seed * 668265263) & 0xFFFFFFFF
        h = ((h ^ (h >> 13)) * 1274126177) & 0xFFFFFFFF
        return ((h ^ (h >> 16)) & 0xFFFF) / 65535
    i, f = math.floor(x), x - math.floor(x)
    f = f * f * (3 - 2 * f)
    return corner(i) * (1 - f) + corner(i + 1) * f


def ridge(x, seed, base, height):
    """Height of a mountain range's outline: four octaves."""
    return base - height * sum(noise(x * 2 ** k / 130, seed + k) / 2 ** k for k in range(4)) / 1.875


RANGES = [(ridge, seed, base, height, colour) for seed, base, height, colour in (
    (3, 240, 170, (148, 158, 190)), (17, 272, 140, (98, 112, 142)), (31, 300, 110, (52, 70, 82)))]
OUTLINES = [[r[0](x, *r[1:4]) for x in range(WIDTH)] for r in RANGES]


def land(x, y):
    for (_, seed, base, height, colour), outline in reversed(list(zip(RANGES, OUTLINES))):
        depth = y - outline[x]
        if depth >= 0:
            slope = outline[min(x + 1, WIDTH - 1)] - outline[max(x - 1, 0)]
            light = 1 + max(-0.35, min(0.35, slope * 0.12)) + 0.1 * (noise(x / 3 + y, seed + 9) - 0.5)
            snow = seed == 3 and depth < 26 + 18 * noise(x / 7, 5)
            base_colour = (236, 238, 246) if snow else colour
            return tuple(c * light * (1 - 0.15 * math.exp(-depth / 90)) for c in base_colour)
    sun = math.hypot(x - 470, y - 92)
    glow = math.exp(-sun / 70)
    sky = y / SHORE
    if sun < 26:
        return (255, 244, 214)
    return (70 + 150 * sky + 90 * glow, 110 + 90 * sky + 60 * glow, 190 + 10 * sky - 20 * glow)


def pixel(x, y):
    if y < SHORE:
        return land(x, y)
    distance = y - SHORE
    ripple = math.sin(distance * 1.9 - 0.003 * distance ** 2) * (1 + distance / 30)
    colour = land(max(0, min(WIDTH - 1, round(x + ripple))), max(0, round(SHORE - 1 - distance * 1.6)))
    shade = 0.72 + 0.06 * math.sin(distance * 0.9 + 3 * noise(x / 50, 77))
    return (colour[0] * shade, colour[1] * shade, colour[2] * shade + 18)


def main(path):
    rows = []
    for y in range(HEIGHT):
        row = bytearray()
        for x in range(WIDTH):
            row += bytes(max(0, min(255, round(c / 2) * 2)) for c in pixel(x, y))
        previous = bytes([0, 0, 0]) + bytes(row)
        rows.append(b"\x01" + bytes((row[i] - previous[i]) & 255 for i in range(len(row))))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", WIDTH, HEIGHT, 8, 2, 0, 0, 0)))
        file.write(chunk(b"IDAT", zlib.compress(b"".join(rows), 9)) + chunk(b"IEND", b""))


if __name__ == "__main__":
    main(sys.argv[1])
