"""How many samples each item gets, and how many seconds each query: for tests, for minutes, for a night.

`large` is for CNNB and RES, which take seconds where the other networks take milliseconds.
"""

import types

SIZES = {
    "smoke": {
        "ablation": dict(samples=2, limit=1),
        "distortion": dict(samples=1, limit=0.5, networks=("mnist_mlp_2x20", "mnist_mlp_3x20", "mnist_nor_mlp_b")),
        "adversarial-accuracy": dict(samples=12, large=1, limit=0.5, published=False),
        "determinants": dict(samples=2),
        "nodes": dict(),
        "solvers": dict(samples=1, limit=1.5),
        "pgd-misses": dict(vulnerable=1, limit=1),
        "sparsification": dict(samples=3, limit=0.5),
        "stability": dict(samples=1, highest=0.104),
        "open-ideas": dict(samples=2, limit=1),
    },
    "quick": {
        "ablation": dict(samples=12, limit=2),
        "distortion": dict(samples=2, limit=3, networks=("mnist_mlp_2x20", "mnist_mlp_3x20", "mnist_nor_mlp_b")),
        "adversarial-accuracy": dict(samples=100, large=10, limit=2, published=True),
        "determinants": dict(samples=10),
        "nodes": dict(),
        "solvers": dict(samples=4, limit=10),
        "pgd-misses": dict(vulnerable=6, limit=3),
        "sparsification": dict(samples=12, limit=2),
        "stability": dict(samples=4, highest=0.112),
        "open-ideas": dict(samples=10, limit=2),
    },
    "full": {
        "ablation": dict(samples=500, limit=60),
        "distortion": dict(samples=100, limit=1200, networks=("mnist_mlp_2x20", "mnist_mlp_3x20", "mnist_nor_mlp_b")),
        "adversarial-accuracy": dict(samples=10000, large=10000, limit=120, published=True),
        "determinants": dict(samples=1000),
        "nodes": dict(),
        "solvers": dict(samples=500, limit=120),
        "pgd-misses": dict(vulnerable=10000, limit=300),
        "sparsification": dict(samples=10000, limit=120),
        "stability": dict(samples=20, highest=0.2),
        "open-ideas": dict(samples=100, limit=60),
    },
}


def size_of(size, item, samples=None, limit=None):
    """The values of the size, unless the command line overrides them."""
    values = dict(SIZES[size][item])
    if samples is not None:
        values.update({key: samples for key in ("samples", "large") if key in values})
    if limit is not None and "limit" in values:
        values["limit"] = limit
    return types.SimpleNamespace(**values)
