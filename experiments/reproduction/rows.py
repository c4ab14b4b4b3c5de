"""The rows of the paper's tables, and the network used for each.

Two networks are the paper's own. The weights of the others were not available. Networks of the same kind stand in for
them, and their figures are not expected to equal the paper's.
"""

import dataclasses

from . import numbers

OWN, STAND_IN, PUBLISHED = "own", "stand-in", "published"
WEIGHTS = {OWN: "the paper's own weights", STAND_IN: "a stand-in: figures are not expected to equal the paper's",
           PUBLISHED: "the weights of the cited table"}

STANDS_FOR = {
    "lpd-cnnb-0.1": ("mnist_cnn_b_eps0.1", STAND_IN),
    "lpd-cnna-0.1": ("mnist_wk17a", OWN),
    "adv-cnna-0.1": ("mnist_adv_cnn_a_eps0.1", STAND_IN),
    "adv-mlpb-0.1": ("mnist_adv_mlp_2x200_eps0.1", STAND_IN),
    "sdpd-mlpa-0.1": ("mnist_rsl18a", OWN),
    "lpd-cnna-0.2": ("mnist_cnn_a_eps0.2", STAND_IN),
    "lpd-cnnb-0.3": ("mnist_cnn_b_eps0.3", STAND_IN),
    "lpd-cnna-0.3": ("mnist_cnn_a_eps0.3", STAND_IN),
    "lpd-cnna-0.4": ("mnist_cnn_a_eps0.4", STAND_IN),
    "cifar-lpd-cnna-2_255": ("cifar_cnn_a_eps2", STAND_IN),
    "cifar-lpd-res-8_255": ("cifar_res_eps8", STAND_IN),
}


@dataclasses.dataclass(frozen=True)
class Row:
    name: str      # as in --rows
    label: str     # as in the table
    dataset: str   # MNIST or CIFAR-10
    eps: str
    network: str   # the network used
    weights: str   # OWN, STAND_IN or PUBLISHED

    @property
    def large(self):
        """CNNB and RES, which take seconds where the others take milliseconds."""
        return "cnn_b" in self.network or "_res_" in self.network


def of_the_paper():
    """The rows of table 2, which the other tables follow."""
    return [Row(name, entry["network"], entry["dataset"], entry["eps"], *STANDS_FOR[name])
            for name, entry in numbers.rows("adversarial-accuracy").items()]


def published():
    """Networks with published bounds that are not in the paper."""
    return [Row(name, entry["network"].removeprefix("mnist_"), "MNIST", entry["eps"], entry["network"], PUBLISHED)
            for name, entry in numbers.rows("published").items()]


def named(name):
    return next(row for row in of_the_paper() + published() if row.name == name)
