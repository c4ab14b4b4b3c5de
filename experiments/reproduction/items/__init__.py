"""One file per item. Each has

    NAME, TITLE, WHERE
    run(context, data)       measures: fills `data` with plain numbers row by row, so that an interrupted run keeps them
    section(data)            shows `data` beside the paper's numbers
    complaints(data, truth)  what is false in complete `data`; truth: published verdicts of LPd-CNNA at 0.1
"""

from . import (ablation, adversarial_accuracy, determinants, distortion, nodes, open_ideas, pgd_misses, solvers,
               sparsification, stability)

ITEMS = {item.NAME: item for item in (ablation, distortion, adversarial_accuracy, determinants, nodes, solvers,
                                      pgd_misses, sparsification, stability, open_ideas)}
