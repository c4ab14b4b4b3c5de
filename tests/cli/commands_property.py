"""verify about properties as a user meets it; for commands.py."""

import json

import numpy as np

from example import DATA, NETWORK, REPOSITORY, write_property


def properties_get_the_verdict_of_the_sample_that_they_describe(plumb, folder):
    for radius, code in ((0.06, 0), (0.3, 1)):
        write_property(folder / "p.vnnlib.gz", 9, radius, packed=True)
        sample = plumb.run("verify", NETWORK, "--data", DATA, "--sample", 7, "--eps", radius, "--json")
        done = plumb.run("verify", NETWORK, folder / "p.vnnlib.gz", "--json")
        assert done.returncode == sample.returncode == code, (done, sample)
        verdict = json.loads(done.stdout)
        assert verdict["verdict"] == json.loads(sample.stdout)["verdict"], verdict
        assert set(verdict) >= {"verdict", "reason", "evidence", "engine", "solver", "witness", "outputs", "parts",
                                "notices", "seconds", "statistics"}, verdict
        text = plumb.run("verify", NETWORK, folder / "p.vnnlib.gz")
        assert text.returncode == code and text.stdout.startswith(verdict["verdict"] + ": "), text


def a_property_s_witness_lies_in_its_bounds_and_is_written_for_the_competition(plumb, folder):
    values = write_property(folder / "p.vnnlib", 9, 0.3)
    done = plumb.run("verify", NETWORK, folder / "p.vnnlib", "--json", "--result", folder / "result.txt")
    verdict = json.loads(done.stdout)
    witness = np.array(verdict["witness"])
    assert (witness == witness.astype(np.float32)).all() and len(verdict["outputs"]) == 10, verdict
    assert (np.maximum(values - 0.3, 0) <= witness).all() and (witness <= np.minimum(values + 0.3, 1)).all()
    lines = (folder / "result.txt").read_text().replace("(", " ").replace(")", " ").splitlines()
    assert lines[0] == "sat" and len(lines) == 1 + 256 + 10, lines[:3]
    written = {line.split()[0]: float(line.split()[1]) for line in lines[1:]}
    assert [written[f"X_{i}"] for i in range(256)] == verdict["witness"], written
    assert [written[f"Y_{i}"] for i in range(10)] == verdict["outputs"], written


def empty_regions_hold_with_a_warning(plumb, folder):
    write_property(folder / "p.vnnlib", 9, 0.3)
    with open(folder / "p.vnnlib", "a") as file:
        file.write("(assert (<= X_3 -1))\n")
    done = plumb.run("verify", NETWORK, folder / "p.vnnlib", "--result", folder / "result.txt")
    assert done.returncode == 0 and done.stdout.startswith("holds: ") and "empty" in done.stderr, done
    assert (folder / "result.txt").read_text() == "unsat\n"


def the_example_property_holds(plumb, _):
    done = plumb.run("verify", NETWORK, REPOSITORY / "examples/digits/image7.vnnlib")
    assert done.returncode == 0 and done.stdout.startswith("holds: linear bounds (rigorous)"), done


def a_time_limit_is_an_answer(plumb, folder):
    write_property(folder / "p.vnnlib", 9, 0.3)
    done = plumb.run("verify", NETWORK, folder / "p.vnnlib", "--timeout", "1e-6", "--result", folder / "result.txt")
    assert done.returncode == 2 and done.stdout.startswith("unknown: time limit"), done
    assert (folder / "result.txt").read_text() == "timeout\n"


def two_networks_of_one_property_are_compared(plumb, folder):
    bounds = "".join(f"(assert (and (>= X[0,0,{r},{c}] 0) (<= X[0,0,{r},{c}] 0.01) (== X[0,0,{r},{c}] U[0,0,{r},{c}])))\n"
                     for r in range(16) for c in range(16))
    declared = ("(vnnlib-version <2.0>)\n"
                "(declare-network f (declare-input X float32 [1,1,16,16]) (declare-output Y float32 [1,10]))\n"
                "(declare-network g (equal-to f) (declare-input U float32 [1,1,16,16])"
                " (declare-output V float32 [1,10]))\n")
    for condition, code in (("(> Y[0,3] (+ V[0,3] 1000))", 0), ("(< Y[0,3] (+ V[0,4] 1000))", 1)):
        (folder / "p.vnnlib").write_text(declared + bounds + f"(assert {condition})\n")
        done = plumb.run("verify", NETWORK, folder / "p.vnnlib", "--timeout", "60", "--result", folder / "result.txt")
        assert done.returncode == code, done
    lines = (folder / "result.txt").read_text().splitlines()
    assert lines[0] == "sat" and lines[1] == "X float32 [1,1,16,16]" and len(lines) == 1 + 2 * 257 + 2 * 11, lines[:3]
    assert lines[2:258] == lines[270:526], "both networks have the same input"


def mistakes_in_properties_are_named_with_their_place(plumb, folder):
    path = folder / "p.vnnlib"
    path.write_text("(declare-const X_0 Real)\n(assert (<= X_0 abc))\n")
    done = plumb.run("verify", NETWORK, path)
    assert done.returncode == 65 and f"{path}: line 2, column 17" in done.stderr and not done.stdout, done
    path.write_text("(declare-const X_0 Real)\n(assert (<= X_0 1))\n(assert (>= X_0 1))\n")
    done = plumb.run("verify", NETWORK, path)
    assert done.returncode == 65 and "declares 1 inputs, the network has 256" in done.stderr, done
