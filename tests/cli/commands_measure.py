"""distortion and worst as a user meets them; for commands.py."""

import json

from example import DATA, NETWORK


def intervals_are_headed_by_what_they_measure(plumb, _):
    for options, title in (((), "linf at least"), (("--norm", "l1"), "l1 at least"),
                           (("--perturbation", "contrast:0,3"), "change of contrast at least"),
                           (("--perturbation", "blur:3x3"), "parameters' linf at least"),
                           (("--perturbation", "patch:0,0,3,3"), "linf at least")):
        text = plumb.run("distortion", NETWORK, "--data", DATA, "--sample", 7, "--timeout", 1, "-q", *options).stdout
        assert text.splitlines()[0].split("  ")[2].strip() == title, text


def distortion_json_has_the_documented_keys(plumb, _):
    def measure(*options):
        done = plumb.run("distortion", NETWORK, "--data", DATA, "--sample", 7, "--threads", 1, "--json", *options)
        assert done.returncode in (0, 2), done.stderr
        return json.loads(done.stdout), done.returncode

    # One parameter: quick and exact.
    line, code = measure("--perturbation", "brightness:-1,1")
    assert {"sample", "label", "norm", "lower", "upper", "exact", "reason", "witness", "parameters", "predicted",
            "evidence", "seconds", "statistics"} <= line.keys(), line.keys()
    assert code == 0 and line["exact"] and line["evidence"] == "rigorous", line
    assert line["witness_evidence"] in ("exact", "real only"), line
    assert 0 < line["lower"] <= line["upper"] <= line["lower"] * (1 + 2e-6), line
    # The upper end is printed as a decimal that is not below it.
    away = abs(line["parameters"][0])
    assert len(line["parameters"]) == 1 and away <= line["upper"] <= away * (1 + 1e-15), line
    # Verify agrees on both sides of it.
    for share, wanted in ((0.999, "holds"), (1.001, "violated")):
        b = line["upper"] * share
        verdict = json.loads(plumb.run("verify", NETWORK, "--data", DATA, "--sample", 7, "--perturbation",
                                       f"brightness:{-b:.6f},{b:.6f}", "--json").stdout)
        assert verdict["verdict"] == wanted, (share, verdict)
    # Bounds alone leave an interval open.
    line, code = measure("--engine", "bounds", "--gap", "1e-2")
    assert code == 2 and not line["exact"] and 0 < line["lower"] < line["upper"], line
    assert line["evidence"] == "rigorous" and line["rigorous_lower"] == line["lower"], line


def worst_margins_agree_with_verify_and_with_the_outputs(plumb, _):
    def worst(*options, codes=(0,)):
        done = plumb.run("worst", NETWORK, "--data", DATA, "--threads", 1, "--json", *options)
        assert done.returncode in codes, done
        return [json.loads(line) for line in done.stdout.splitlines()]

    lines = worst("--samples", "0:4", "--eps", "0.03")
    summary = lines.pop()["summary"]
    assert {"samples", "skipped", "exact", "robust", "vulnerable", "unknown", "mean_lower", "mean_upper"} <= summary.keys(), summary
    assert summary["samples"] == summary["exact"] == 4 and summary["skipped"] == 0, summary
    for line in lines:
        assert {"sample", "label", "lower", "upper", "exact", "reason", "evidence", "rigorous_lower", "witness",
                "outputs", "other", "predicted", "seconds", "statistics"} <= line.keys(), line.keys()
        assert line["lower"] <= line["upper"] <= line["lower"] + max(1e-5, 1e-4 * abs(line["upper"])), line
        outputs = line["outputs"]
        margin = outputs[line["label"]] - outputs[line["other"]]
        assert abs(margin - line["upper"]) < 1e-4 and line["evidence"] == "rigorous", (margin, line)
        verdict = json.loads(plumb.run("verify", NETWORK, "--data", DATA, "--sample", line["sample"], "--eps", "0.03",
                                       "--json").stdout)["verdict"]
        assert verdict == ("holds" if line["lower"] > 0 else "violated"), (verdict, line)
    # A larger ball has a worse margin.
    near, = worst("--sample", 7, "--eps", "0.03")
    far, = worst("--sample", 7, "--eps", "0.06")
    assert far["upper"] < near["lower"] and near["predicted"] == near["label"], (near, far)
    # One target is at best as bad as any label, and the one that decides is just as bad.
    other, = worst("--sample", 7, "--eps", "0.03", "--target", near["other"])
    assert abs(other["upper"] - near["upper"]) < 1e-3, (other["upper"], near["upper"])
    # The solver's own objective gives the same interval, as a claim.
    claimed, = worst("--sample", 7, "--eps", "0.03", "--engine", "milp")
    proven, = worst("--sample", 7, "--eps", "0.03")
    assert claimed["lower"] <= proven["upper"] + 1e-4 and proven["lower"] <= claimed["upper"], (claimed, proven)
    # Bounds alone leave an interval open.
    line, = worst("--sample", 7, "--eps", "0.06", "--engine", "bounds", codes=(2,))
    assert not line["exact"] and line["lower"] < line["upper"], line
