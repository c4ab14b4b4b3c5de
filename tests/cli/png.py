"""A reader of PNG files, after the standard and not after Plumb: 8 bits a channel, not interlaced."""

import struct
import zlib

import numpy as np

CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}


def read_png(content):
    """Height x width x channels, as bytes. Checks signature, checksums and sizes."""
    assert content[:8] == b"\x89PNG\r\n\x1a\n", "no PNG"
    at, header, packed = 8, None, b""
    while at < len(content):
        length, kind = struct.unpack(">I4s", content[at:at + 8])
        body = content[at + 8:at + 8 + length]
        (checksum,) = struct.unpack(">I", content[at + 8 + length:at + 12 + length])
        assert checksum == zlib.crc32(kind + body), f"{kind}: checksum"
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    width, height, depth, colour, _, _, interlaced = header
    assert depth == 8 and not interlaced and colour in CHANNELS, header
    return unfiltered(zlib.decompress(packed), height, width, CHANNELS[colour])


def unfiltered(data, height, width, channels):
    stride = width * channels
    assert len(data) == height * (stride + 1), "size"
    lines = np.zeros((height + 1, stride + channels), dtype=np.int64)  # a line above and a pixel to the left of zeros
    for row in range(height):
        line = data[row * (stride + 1):(row + 1) * (stride + 1)]
        kind, above, here = line[0], lines[row], lines[row + 1]
        for k in range(channels, stride + channels):
            left, up, corner = here[k - channels], above[k], above[k - channels]
            add = (0, left, up, (left + up) // 2, paeth(left, up, corner))[kind]
            here[k] = (line[k - channels + 1] + add) % 256
    return lines[1:, channels:].reshape(height, width, channels).astype(np.uint8)


def paeth(left, up, corner):
    distances = [abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)]
    return (left, up, corner)[distances.index(min(distances))]
