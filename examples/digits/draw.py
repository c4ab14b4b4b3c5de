#!/usr/bin/env python3
"""Draw grey 16x16 images of the ten digits and write them as IDX files.

    draw.py --out DIR                                  the test set: 1,000 images, seed 1
    draw.py --out DIR --split train --count N          training images, seed 2
    draw.py --check DIR                                re-draw, compare with the files in DIR

Every digit is a few strokes through control points in the unit square (x to the
right, y downwards). An image is one of the digit's glyphs with its control points
moved a little, bent, slanted, turned, scaled and shifted; the grey value of a pixel
follows from its distance to the strokes. The files have the layout and the names of
MNIST's, so a reader of MNIST reads them. Needs numpy only.
"""

import argparse
import gzip
import pathlib
import struct
import sys
import zlib

import numpy as np

SIDE = 16
SUBDIVISIONS = 5  # line segments per span of a curve
BATCH = 256  # images drawn at a time; bounds the memory
DEFAULT_SEED = {"test": 1, "train": 2}
DEFAULT_COUNT = {"test": 1000, "train": 20000}
FILE_PREFIX = {"test": "t10k", "train": "train"}

# A glyph is a list of strokes; "curve" passes smoothly through its points, "line" has
# corners at them. Strokes that share a control point stay joined when it is moved.
GLYPHS = {
    0: [
        [("curve", [(.50, .10), (.30, .22), (.23, .50), (.30, .78), (.50, .90),
                    (.70, .78), (.77, .50), (.70, .22), (.50, .10)])],
        [("curve", [(.58, .11), (.36, .20), (.27, .50), (.36, .82), (.52, .89),
                    (.68, .76), (.73, .48), (.65, .22), (.46, .13)])],
    ],
    1: [
        [("line", [(.50, .10), (.50, .90)])],
        [("line", [(.33, .28), (.53, .10), (.53, .90)])],
        [("line", [(.36, .27), (.52, .10), (.52, .90)]), ("line", [(.33, .90), (.70, .90)])],
    ],
    2: [
        [("curve", [(.25, .30), (.34, .14), (.54, .10), (.71, .22), (.69, .42),
                    (.48, .66), (.24, .89)]),
         ("line", [(.24, .89), (.77, .89)])],
        [("curve", [(.27, .25), (.42, .11), (.63, .14), (.70, .32), (.56, .58),
                    (.34, .83), (.23, .82), (.29, .73), (.48, .82), (.64, .89), (.78, .82)])],
    ],
    3: [
        [("curve", [(.26, .19), (.46, .10), (.68, .18), (.67, .37), (.44, .47)]),
         ("curve", [(.44, .47), (.70, .56), (.73, .75), (.52, .90), (.24, .81)])],
        [("line", [(.27, .12), (.71, .12), (.46, .43)]),
         ("curve", [(.46, .43), (.68, .50), (.74, .70), (.56, .89), (.25, .83)])],
    ],
    4: [
        [("line", [(.58, .10), (.22, .63), (.80, .63)]), ("line", [(.62, .38), (.62, .91)])],
        [("line", [(.30, .12), (.26, .52), (.74, .52)]), ("line", [(.69, .12), (.67, .90)])],
        [("line", [(.65, .91), (.65, .10), (.23, .61), (.80, .61)])],
    ],
    5: [
        [("line", [(.72, .11), (.34, .11), (.30, .46)]),
         ("curve", [(.30, .46), (.52, .40), (.73, .53), (.71, .77), (.49, .90), (.24, .82)])],
        [("curve", [(.73, .13), (.52, .12), (.36, .17), (.32, .43), (.56, .43),
                    (.72, .58), (.66, .80), (.45, .89), (.26, .81)])],
    ],
    6: [
        [("curve", [(.66, .11), (.42, .26), (.28, .53), (.30, .79), (.50, .90),
                    (.70, .78), (.68, .57), (.49, .49), (.30, .62)])],
        [("curve", [(.52, .10), (.34, .36), (.27, .64), (.38, .87), (.60, .87),
                    (.72, .70), (.58, .56), (.40, .60), (.29, .74)])],
    ],
    7: [
        [("line", [(.23, .12), (.76, .12), (.43, .90)])],
        [("line", [(.24, .13), (.75, .13), (.45, .90)]), ("line", [(.37, .51), (.72, .51)])],
        [("line", [(.25, .24), (.26, .12)]),
         ("curve", [(.26, .12), (.50, .13), (.74, .11), (.56, .42), (.47, .90)])],
    ],
    8: [
        [("curve", [(.68, .19), (.50, .10), (.31, .20), (.36, .39), (.60, .53), (.72, .72),
                    (.50, .90), (.28, .73), (.40, .53), (.64, .38), (.68, .19)])],
        [("curve", [(.50, .10), (.32, .20), (.35, .39), (.50, .46), (.65, .39), (.68, .20),
                    (.50, .10)]),
         ("curve", [(.50, .46), (.29, .57), (.28, .79), (.50, .90), (.72, .79), (.71, .57),
                    (.50, .46)])],
    ],
    9: [
        [("curve", [(.70, .33), (.60, .13), (.38, .12), (.27, .31), (.38, .50), (.60, .48),
                    (.70, .33)]),
         ("line", [(.70, .33), (.66, .90)])],
        [("curve", [(.71, .30), (.55, .10), (.33, .17), (.29, .38), (.46, .51), (.66, .42),
                    (.71, .30), (.70, .58), (.60, .82), (.32, .89)])],
    ],
}


def curve_weights(count):
    """Weights (samples x points) of a Catmull-Rom curve through `count` points."""
    rows = []
    for span in range(count - 1):
        last_step = 1 if span == count - 2 else 0
        for t in np.arange(SUBDIVISIONS + last_step) / SUBDIVISIONS:
            row = np.zeros(count)
            basis = 0.5 * np.array([-t + 2 * t**2 - t**3, 2 - 5 * t**2 + 3 * t**3,
                                    t + 4 * t**2 - 3 * t**3, -t**2 + t**3])
            # The curve has no point before the first or after the last: repeat those.
            for offset, weight in zip((-1, 0, 1, 2), basis):
                row[np.clip(span + offset, 0, count - 1)] += weight
            rows.append(row)
    return np.array(rows)


def compile_glyph(strokes):
    """Return the glyph's distinct points and the weights of its segments' two ends."""
    all_points = np.array([point for _, points in strokes for point in points])
    distinct, place = np.unique(all_points, axis=0, return_inverse=True)
    place = place.reshape(-1)
    starts, ends, first = [], [], 0
    for kind, points in strokes:
        selection = np.eye(len(distinct))[place[first:first + len(points)]]
        samples = curve_weights(len(points)) @ selection if kind == "curve" else selection
        starts.append(samples[:-1])
        ends.append(samples[1:])
        first += len(points)
    return distinct, np.concatenate(starts), np.concatenate(ends)


def random_pose(rng, count):
    """Return `count` random 2x2 matrices (slant, turn, scale) and as many shifts."""
    angle = rng.normal(0.0, 0.15, count)
    slant = rng.normal(0.12, 0.20, count)
    size = rng.uniform(0.72, 1.04, count)
    width = size * rng.uniform(0.78, 1.15, count)
    turn = np.stack([np.cos(angle), -np.sin(angle), np.sin(angle), np.cos(angle)], axis=-1)
    shape = np.stack([width, -slant * size, np.zeros(count), size], axis=-1)
    shift = rng.uniform(-0.10, 0.10, (count, 1, 2))
    return turn.reshape(-1, 2, 2) @ shape.reshape(-1, 2, 2), shift


def move_points(rng, points, count):
    """Return `count` versions (count x points x 2) of a glyph's points, each drawn anew."""
    centred = points - 0.5
    x, y = centred[:, 0], centred[:, 1]
    # A smooth bend of the whole glyph, then a small slip of every point.
    features = np.stack([x * x, x * y, y * y], axis=-1)
    # Some hands are more careless than others, which makes a few images hard.
    carelessness = np.exp(rng.normal(0.0, 0.45, (count, 1, 1)))
    bend = carelessness * rng.normal(0.0, 0.19, (count, 3, 2))
    slip = carelessness * rng.normal(0.0, 0.030, (count, len(points), 2))
    moved = centred + features @ bend + slip
    pose, shift = random_pose(rng, count)
    return moved @ pose.transpose(0, 2, 1) + shift + 0.5


def distance_to_segments(starts, ends):
    """Distance of every pixel centre to the nearest segment, per image (count x SIDE^2)."""
    centres = (np.arange(SIDE) + 0.5) / SIDE
    pixels = np.stack(np.meshgrid(centres, centres), axis=-1).reshape(1, -1, 1, 2)
    starts, ends = starts[:, None], ends[:, None]
    along = ends - starts
    length_squared = np.maximum((along**2).sum(-1), 1e-12)
    position = np.clip(((pixels - starts) * along).sum(-1) / length_squared, 0.0, 1.0)
    gap = pixels - starts - position[..., None] * along
    return np.sqrt((gap**2).sum(-1).min(-1))


def draw_glyph(rng, glyph, count):
    """Draw `count` images (count x SIDE x SIDE, uint8) of one compiled glyph."""
    points, start_weights, end_weights = glyph
    moved = move_points(rng, points, count)
    distance = distance_to_segments(start_weights @ moved, end_weights @ moved)
    half_width = rng.uniform(0.030, 0.075, (count, 1))
    softness = rng.uniform(0.05, 0.09, (count, 1))  # about one pixel: the anti-aliasing
    ink = rng.uniform(0.75, 1.0, (count, 1))
    grey = ink * np.clip(0.5 + (half_width - distance) / softness, 0.0, 1.0)
    noise = rng.uniform(0.0, 0.08, (count, 1)) * rng.standard_normal(grey.shape)
    image = np.clip(grey + noise, 0.0, 1.0)
    return np.rint(255 * image).astype(np.uint8).reshape(count, SIDE, SIDE)


def draw(count, seed):
    """Return `count` images and their labels; the digits are equally likely."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 10, count)
    styles = rng.random(count)
    images = np.zeros((count, SIDE, SIDE), np.uint8)
    for digit, glyphs in GLYPHS.items():
        for number, strokes in enumerate(glyphs):
            style = np.floor(styles * len(glyphs))
            members = np.flatnonzero((labels == digit) & (style == number))
            glyph = compile_glyph(strokes)
            for first in range(0, len(members), BATCH):
                batch = members[first:first + BATCH]
                images[batch] = draw_glyph(rng, glyph, len(batch))
    return images, labels.astype(np.uint8)


def idx_files(images, labels, split):
    """Return the IDX files of a set as a dictionary from file name to content."""
    prefix = FILE_PREFIX[split]
    image_header = struct.pack(">IIII", 0x00000803, *images.shape)
    label_header = struct.pack(">II", 0x00000801, len(labels))
    return {
        f"{prefix}-images-idx3-ubyte.gz": image_header + images.tobytes(),
        f"{prefix}-labels-idx1-ubyte.gz": label_header + labels.tobytes(),
    }


def write(directory, files):
    directory.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        # No time stamp and no file name inside, so equal content gives equal bytes.
        (directory / name).write_bytes(gzip.compress(content, 9, mtime=0))


def check(directory, files):
    """Return a list of complaints; empty where the files in `directory` are these."""
    complaints = []
    for name, expected in files.items():
        path = directory / name
        if not path.is_file():
            complaints.append(f"{path}: not there")
            continue
        try:
            found = gzip.decompress(path.read_bytes())
        except (OSError, EOFError, zlib.error) as error:
            complaints.append(f"{path}: not a whole gzip file: {error}")
            continue
        if len(found) != len(expected):
            complaints.append(f"{path}: {len(found)} bytes, {len(expected)} expected")
        elif found != expected:
            places = [i for i, (a, b) in enumerate(zip(found, expected)) if a != b]
            complaints.append(f"{path}: {len(places)} bytes differ, the first at {places[0]}")
    return complaints


def main():
    parser = argparse.ArgumentParser(description="Draw digits and write them as IDX files.")
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--out", type=pathlib.Path, metavar="DIR", help="write the files here")
    action.add_argument("--check", type=pathlib.Path, metavar="DIR",
                        help="compare the files here with what would be drawn")
    parser.add_argument("--split", choices=("test", "train"), default="test")
    parser.add_argument("--count", type=int, help="how many images (test 1000, train 20000)")
    parser.add_argument("--seed", type=int, help="seed of the random numbers (test 1, train 2)")
    options = parser.parse_args()

    count = DEFAULT_COUNT[options.split] if options.count is None else options.count
    seed = DEFAULT_SEED[options.split] if options.seed is None else options.seed
    files = idx_files(*draw(count, seed), options.split)
    if options.out:
        write(options.out, files)
        return 0
    complaints = check(options.check, files)
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    if not complaints:
        print(f"{options.check}: the files are as drawn")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
