"""verify about samples as a user meets it, with every engine, and the solvers; for commands.py."""

import json
import re

from example import DATA, NETWORK, write_property


def verify_json_has_the_documented_keys(plumb, _):
    keys = {"sample", "label", "verdict", "reason", "evidence", "engine", "solver", "witness", "outputs", "predicted",
            "distance", "seconds", "statistics", "question"}
    done = plumb.run("verify", NETWORK, "--data", DATA, "--samples", "0:8", "--eps", "0.06", "--json")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0 and not done.stderr, done
    assert [line.get("sample") for line in lines] == [*range(8), None] and all(set(l) == keys for l in lines[:-1]), lines
    summary = lines[-1]["summary"]
    assert set(summary) >= {"samples", "misclassified", "robust", "vulnerable", "unknown", "error_lower", "error_upper",
                            "seconds"} and summary["samples"] == 8, summary
    assert summary["robust"] == sum(line["verdict"] == "holds" for line in lines[:-1]) > 0, summary
    statistics = lines[0]["statistics"]
    assert set(statistics) >= {"build_seconds", "solve_seconds", "nodes", "lps", "simplex_iterations", "work",
                               "labels_eliminated", "refined", "skipped_decided", "skipped_exact", "layers"}, statistics
    for layer in statistics["layers"]:
        assert sum(layer[f"by_{m}"] for m in ("interval", "linear", "alpha", "lp", "milp")) > 0, layer


def verify_says_by_its_exit_code_what_it_found(plumb, _):
    def verify(*options):
        done = plumb.run("verify", NETWORK, "--data", DATA, "--engine", "milp", "--json", *options)
        return done.returncode, json.loads(done.stdout)
    code, held = verify("--sample", 7, "--eps", "0.06")
    assert code == 0 and held["verdict"] == "holds" and held["evidence"] == "rigorous" and held["witness"] is None, held
    code, violated = verify("--sample", 0, "--eps", "0.15")
    assert code == 1 and violated["verdict"] == "violated" and violated["evidence"] == "exact", violated
    assert 0 < violated["distance"] <= 0.15 and violated["predicted"] != violated["label"], violated
    assert violated["outputs"][violated["predicted"]] >= violated["outputs"][violated["label"]], violated
    code, unknown = verify("--sample", 1, "--eps", "0.1", "--work-limit", 1)
    assert code == 2 and unknown["verdict"] == "unknown" and unknown["reason"] == "work limit", unknown


def cuts_decide_what_three_times_the_work_does_not_decide_without_them(plumb, _):
    question = ("verify", NETWORK, "--data", DATA, "--sample", 30, "--eps", "0.15", "--json")
    with_cuts = json.loads(plumb.run(*question).stdout)
    assert (with_cuts["verdict"], with_cuts["statistics"]["cuts"] > 0) == ("holds", True), with_cuts
    work = 3 * with_cuts["statistics"]["work"]
    without = json.loads(plumb.run(*question, "--no-cuts", "--work-limit", work).stdout)
    assert (without["verdict"], without["statistics"]["cuts"]) == ("unknown", 0), without


def cuts_of_the_mixed_integer_engine_prove_what_a_solver_would_claim(plumb, _):
    question = ("verify", NETWORK, "--data", DATA, "--sample", 32, "--eps", "0.08", "--engine", "milp", "--json")
    with_cuts, without = (json.loads(plumb.run(*question, *options).stdout) for options in ((), ("--no-cuts",)))
    assert with_cuts["verdict"] == without["verdict"] == "holds", (with_cuts, without)
    assert (with_cuts["evidence"], without["evidence"]) == ("rigorous", "solver"), (with_cuts, without)
    assert with_cuts["statistics"]["cuts"] >= with_cuts["statistics"]["cut_rounds"] > 0, with_cuts
    assert without["statistics"]["cuts"] == without["statistics"]["cut_rounds"] == 0, without


def an_error_without_a_gap_is_called_exact(plumb, _):
    question = ("verify", NETWORK, "--data", DATA, "--samples", "0:20", "--eps", "0.1", "-q")
    text = plumb.run(*question).stdout
    assert re.search(r"\nadversarial error [0-9.]+ %, exact; [0-9.]+ s elapsed\n$", text), text
    text = plumb.run(*question, "--work-limit", 1).stdout
    lower, upper = map(float, re.search(r"\nadversarial error between ([0-9.]+) % and ([0-9.]+) %; ", text).groups())
    assert lower < upper, text


def an_audit_confirms_the_verdicts_and_says_what_it_did(plumb, folder):
    question = ("verify", NETWORK, "--data", DATA, "--samples", "0:4", "--eps", "0.06")
    plain = [json.loads(line) for line in plumb.run(*question, "--json").stdout.splitlines()][:-1]
    done = plumb.run(*question, "--json", "--audit")
    audited = [json.loads(line) for line in done.stdout.splitlines()][:-1]
    assert done.returncode == 0 and len(plain) == 4, done
    for before, after in zip(plain, audited):
        assert (before["verdict"], before["reason"]) == (after["verdict"], after["reason"]), (before, after)
        assert before["statistics"]["audit"] is None, before
        audit = after["statistics"]["audit"]
        assert set(audit) == {"pieces", "refutations", "closings", "cuts", "records", "seconds"}, audit
        proven = audit["refutations"] + audit["closings"]
        assert proven > 0 if after["verdict"] == "holds" else audit["records"] == 0, after
        assert audit["seconds"] <= after["seconds"], "the audit's time is a part of the sample's"
    for threads in (1, 2):
        text = plumb.run(*question, "--audit", "--threads", threads).stdout
        part, total = map(float, re.search(r"\naudit: .*, ([0-9.]+) of ([0-9.]+) s\n", text).groups())
        assert part <= total, text
    text = plumb.run(*question[:-4], "--sample", 7, "--eps", "0.06", "--audit").stdout
    assert "\naudit: " in text, text
    write_property(folder / "p.vnnlib", 9, 0.01)
    text = plumb.run("verify", NETWORK, folder / "p.vnnlib", "--audit").stdout
    assert text.startswith("violated") or "\naudit: " in text, text
    for options in (("--engine", "milp"), ("--engine", "bounds"), ("--solver", "highs")):
        done = plumb.run(*question, "--audit", *options)
        assert done.returncode == 64 and "--audit" in done.stderr, done


def encodings_and_ablations_give_the_same_verdict(plumb, _):
    for options in ((), ("--encoding", "layered"), ("--tighten", "interval,linear,lp"), ("--symmetric-bounds",),
                    ("--tighten", "interval,lp", "--no-progressive"), ("--solver", "cbc"), ("--target", "3,5")):
        done = plumb.run("verify", NETWORK, "--data", DATA, "--sample", 6, "--eps", "0.08", "--engine", "milp",
                         "--json", *options)
        assert done.returncode == 0 and json.loads(done.stdout)["verdict"] == "holds", (options, done)


def a_model_is_written_where_bounds_do_not_decide(plumb, folder):
    common = ("verify", NETWORK, "--data", DATA, "--sample", 1, "--eps", "0.1", "--engine", "milp",
              "--work-limit", 1)
    for name, sections in (("model.mps", ("ROWS", "COLUMNS", "MARKER", "ENDATA")), ("model.lp", ("Subject To", "End"))):
        done = plumb.run(*common, "--write-model", folder / name)
        assert done.returncode == 2, done
        text = (folder / name).read_text()
        assert all(section.lower() in text.lower() for section in sections), text[:200]
    done = plumb.run(*common, "--write-model", folder / "missing" / "model.lp")
    assert done.returncode == 66 and "--write-model" in done.stderr, done


def solvers_are_listed_with_the_reason_where_one_is_missing(plumb, _):
    listed = plumb.json("solvers")
    names = [solver["name"] for solver in listed["solvers"]]
    assert listed["default"] == "highs" and {"highs", "cbc", "glpk", "gurobi", "outer"} <= set(names), names
    for solver in listed["solvers"]:
        assert set(solver) >= {"name", "title", "version", "licence", "available", "reason", "can"}, solver
        assert solver["available"] == (solver["reason"] is None), solver
    assert listed["solvers"][0]["available"] and listed["solvers"][0]["can"]["integer"], listed["solvers"][0]
    table = plumb.run("solvers")
    assert table.returncode == 0 and not table.stderr and all(name in table.stdout for name in names), table
