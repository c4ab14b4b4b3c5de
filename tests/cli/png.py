"""A reader of PNG files, written from the standard and independently of Plumb: 8 bits per channel, not interlaced."""

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
    lines, above = [], bytes(stride)
    for start in range(0, len(data), stride + 1):
        kind, line = data[start], bytearray(data[start + 1:start + 1 + stride])
        if kind == 2:
            line = ((np.frombuffer(line, np.uint8).astype(int) + np.frombuffer(above, np.uint8)) % 256).astype(np.uint8).tobytes()
        elif kind:
            for k in range(stride):  # each byte depends on the one before it
                left, corner = (line[k - channels], above[k - channels]) if k >= channels else (0, 0)
                add = left if kind == 1 else (left + above[k]) // 2 if kind == 3 else paeth(left, above[k], corner)
                line[k] = (line[k] + add) % 256
        lines.append(above := bytes(line))
    return np.frombuffer(b"".join(lines), np.uint8).reshape(height, width, channels)


def paeth(left, up, corner):
    to_left, to_up, to_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
    return left if to_left <= to_up and to_left <= to_corner else up if to_up <= to_corner else corner
