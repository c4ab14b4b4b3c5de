"""attack as a user meets it; for commands.py."""

import gzip
import json

import numpy as np

from example import DATA, NETWORK, REPOSITORY

ATTACK_WITHIN = ("attack", NETWORK, "--data", DATA, "--restarts", "5", "--steps", "20", "--eps")
ATTACK = (*ATTACK_WITHIN, "0.1")


def attack_json_has_the_documented_keys(plumb, _):
    done = plumb.run(*ATTACK, "--samples", "0:40", "--json")
    assert done.returncode == 0, done
    *lines, last = [json.loads(line) for line in done.stdout.splitlines()]
    keys = {"sample", "label", "verdict", "reason", "evidence", "engine", "solver", "witness", "outputs", "predicted",
            "distance", "seconds", "statistics"}
    assert [line["sample"] for line in lines] == list(range(40)) and all(set(line) >= keys for line in lines), lines
    summary, found = last["summary"], [line for line in lines if line["verdict"] == "violated"]
    assert 0 < len(found) < 40 and summary["vulnerable"] == len(found), summary
    assert summary["samples"] == 40 and summary["robust"] == 0 and summary["unknown"] == 40 - len(found), summary
    assert summary["error_lower"] == len(found) / 40 and summary["error_upper"] == 1, summary
    assert all(line["verdict"] == "violated" or line["witness"] is None and line["reason"] for line in lines), lines


def witnesses_of_an_attack_are_adversarial_images(plumb, folder):
    images = np.frombuffer(gzip.decompress((REPOSITORY / "examples/digits/t10k-images-idx3-ubyte.gz").read_bytes()),
                           np.uint8, offset=16).reshape(-1, 256).astype(np.float32) / np.float32(255)
    for norm, radius, order in (("linf", 0.1, np.inf), ("l1", 6, 1), ("l2", 0.9, 2)):
        done = plumb.run(*ATTACK_WITHIN, radius, "--samples", "0:40", "--norm", norm, "--json")
        found = [line for line in map(json.loads, done.stdout.splitlines()) if line.get("verdict") == "violated"]
        assert len(found) > 2, (norm, len(found))
        points = np.array([line["witness"] for line in found])
        assert (points == points.astype(np.float32)).all() and points.min() >= 0 and points.max() <= 1, norm
        for line, point in zip(found, points):
            apart = np.linalg.norm(point - images[line["sample"]].astype(np.float64), order)
            assert apart <= radius and abs(line["distance"] - apart) < 1e-9, (norm, apart, line["distance"])
        np.savez(folder / "found.npz", x=points.reshape(-1, 1, 16, 16), y=[line["label"] for line in found])
        for precision in ("double", "float32"):
            result = plumb.json("eval", NETWORK, "--data", f"npz:{folder / 'found.npz'}", "--precision", precision)
            assert result["errors"] == len(found), (norm, precision, result)


def attacks_do_not_depend_on_threads(plumb, _):
    def lines(threads):
        done = plumb.run(*ATTACK, "--samples", "0:20", "--threads", threads, "--json")
        parsed = [json.loads(line) for line in done.stdout.splitlines()]
        return [{key: value for key, value in line.items() if key != "seconds"} for line in parsed[:-1]]
    assert lines(1) == lines(2) == lines(3)


def a_single_attack_says_by_its_exit_code_whether_it_succeeded(plumb, _):
    lines = [json.loads(line) for line in plumb.run(*ATTACK, "--samples", "0:40", "--json").stdout.splitlines()][:-1]
    for verdict, code in (("violated", 1), ("unknown", 2)):
        sample = next(line["sample"] for line in lines if line["verdict"] == verdict)
        done = plumb.run(*ATTACK, "--sample", sample, "--json")
        assert done.returncode == code and json.loads(done.stdout)["verdict"] == verdict, done


def an_attack_from_random_starts_only_differs(plumb, _):
    def witnesses(*options):
        done = plumb.run("attack", NETWORK, "--data", DATA, "--samples", "0:200", "--eps", "0.08", "--restarts", 1,
                         "--steps", 5, "--json", *options)
        return {line["sample"]: line["witness"] for line in map(json.loads, done.stdout.splitlines()) if "sample" in line}
    middle, random = witnesses(), witnesses("--random-start")
    assert middle != random and witnesses("--random-start") == random
    assert witnesses("--random-start", "--seed", 2) != random
    assert witnesses("--seed", 2) == middle, "the middle is no random start"
