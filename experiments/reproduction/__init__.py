"""Every table and figure of Tjeng, Xiao, Tedrake (ICLR 2019), measured with Plumb and shown beside the paper's numbers.

Nothing here verifies anything: items run `plumb` (plumb.py). Its answers are kept in stores (stores.py) or in a journal
(journal.py), so that an interrupted run can continue. The files, in the order in which a run uses them:

    __main__.py   the command line: which items, which size, which time budget
    sizes.py      how many samples and seconds each item gets
    rows.py       the rows of the paper's tables, and the network used for each
    numbers.py    the paper's own numbers (../paper_numbers.json)
    items/        one file per table or figure: run() measures, section() shows, complaints() reports false results
    unit_counts.py   stable units by bounds alone, which several items show
    section.py    what an item shows: tables, charts, notes
    charts.py     charts as SVG
    page.py, markdown.py   sections as one HTML page, and as Markdown
    check.py      what every result must satisfy, whatever the numbers
"""
