"""Charts as SVG whose text and axes take the colour of the page, so that one drawing serves dark, light and print."""

import io
import re

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.fonttype": "none", "font.family": "sans-serif", "font.size": 10, "axes.grid": True,
                            "grid.alpha": 0.3, "axes.axisbelow": True, "axes.spines.top": False,
                            "axes.spines.right": False, "legend.frameon": False, "lines.linewidth": 1.6,
                            "lines.markersize": 4})
from matplotlib import pyplot, ticker  # noqa: E402 (the back end comes first)

# Okabe and Ito's colours: colour-blind readers can distinguish them, on white and on black.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
MARKERS = ("o", "s", "^", "D", "v", "P")
DASHES = ("-", "--", "-.", ":", "-", "--")
INK = "#010203"  # placeholder for the page's colour, replaced in the finished SVG


def bars(name, panels, groups, series, label, log=False):
    """panels: {title: {series: [one value or None per group]}}, drawn side by side."""
    figure, axes = pyplot.subplots(1, len(panels), figsize=(3.2 * len(panels), 3.2), squeeze=False, sharey=log)
    width = 0.84 / len(series)
    for axis, (title, values) in zip(axes[0], panels.items()):
        for k, one in enumerate(series):
            heights = values.get(one, [None] * len(groups))
            at = [g + (k - (len(series) - 1) / 2) * width for g, h in enumerate(heights) if h is not None]
            axis.bar(at, [h for h in heights if h is not None], width, label=one, color=COLOURS[k % len(COLOURS)])
        axis.set_title(title, color=INK, fontsize=10)
        axis.set_xticks(range(len(groups)), groups)
        axis.grid(axis="x", visible=False)
        if log:
            logarithmic(axis, [height for one in panels.values() for some in one.values() for height in some if height])
        ink(axis)
    axes[0][0].set_ylabel(label, color=INK)
    return drawn(name, figure, *axes[0][0].get_legend_handles_labels())


def logarithmic(axis, values):
    """Labels 1, 2 and 5 in each decade, unless there are many decades."""
    few = bool(values) and max(values) < 200 * min(values)
    axis.set_yscale("log")
    axis.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5) if few else (1,)))
    axis.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.yaxis.set_minor_formatter(ticker.NullFormatter())


def lines(name, panels, x_label, y_label, dotted=(), limits=None):
    """panels: {title: {series: [(x, y), ...]}}; dotted: vertical lines at these x."""
    figure, axes = pyplot.subplots(1, len(panels), figsize=(max(3.2 * len(panels), 6.4), 3.2), squeeze=False)
    handles = {}
    for axis, (title, values) in zip(axes[0], panels.items()):
        for k, (one, points) in enumerate(values.items()):
            xs, ys = zip(*sorted(points)) if points else ((), ())
            handle, = axis.plot(xs, ys, DASHES[k % 6], marker=MARKERS[k % 6], color=COLOURS[k % 6], label=one)
            handles.setdefault(one, handle)
        for x in dotted:
            axis.axvline(x, color=INK, linestyle=":", linewidth=1)
        axis.set_title(title, color=INK, fontsize=10)
        axis.set_xlabel(x_label, color=INK)
        if limits:
            axis.set_ylim(*limits)
        else:
            axis.set_ylim(bottom=0)
        ink(axis)
    axes[0][0].set_ylabel(y_label, color=INK)
    return drawn(name, figure, handles.values(), handles.keys())


def ink(axis):
    axis.set_facecolor("none")
    axis.tick_params(which="both", color=INK, labelcolor=INK)
    for spine in axis.spines.values():
        spine.set_color(INK)


def drawn(name, figure, handles, labels):
    figure.set_layout_engine("constrained")
    figure.legend(handles, labels, loc="outside lower center", ncols=3, labelcolor=INK)
    figure.patch.set_alpha(0)
    text = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": name}):
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    pyplot.close(figure)
    svg = text.getvalue()
    svg = svg[svg.index("<svg"):].replace(INK, "currentColor")
    svg = re.sub(r" <metadata>.*?</metadata>\n", "", svg, flags=re.DOTALL)
    svg = re.sub(r' id="[A-Za-z0-9.]+_\d+"', "", svg)  # ids of groups would clash, because several charts share a page
    width, height = re.search(r'width="([\d.]+)pt" height="([\d.]+)pt"', svg).groups()
    # On a narrow screen the chart scrolls instead of shrinking until it is illegible.
    fluid = f'style="width:{width}pt;max-width:100%;min-width:min({width}pt,34rem);height:auto"'
    return svg.replace(f'width="{width}pt" height="{height}pt"', fluid, 1)


def standalone(svg):
    """The chart as a separate file: black on white."""
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    at = svg.index(">") + 1
    paper = f'<rect width="{box[1]}" height="{box[2]}" fill="white"/>'
    return svg[:at].replace("<svg", '<svg color="black"', 1) + paper + svg[at:]
