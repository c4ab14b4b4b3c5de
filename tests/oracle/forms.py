#!/usr/bin/env python3
"""Compares Plumb's table of operands and attributes (src/onnx/form.h) with ONNX's schemas, for every opset.

    forms.py --writer PATH

PATH is the program write_forms. Prints the differences and the number of pairs of operation and opset that were
compared. Exit code 1 if there are differences.
"""

import argparse
import collections
import re
import subprocess
import sys

import onnx
from onnx.defs import OpSchema

from models import FIRST_OPSET, LAST_OPSET

MARKS = {OpSchema.FormalParameterOption.Single: "", OpSchema.FormalParameterOption.Optional: "?",
         OpSchema.FormalParameterOption.Variadic: "*"}


def plumb_forms(writer):
    """Operation -> list of (first opset, types, attributes)."""
    forms = collections.defaultdict(list)
    for line in subprocess.run([writer], capture_output=True, text=True, check=True).stdout.splitlines():
        operation, since, types, attributes = line.split("|")
        forms[operation].append((int(since), types, attributes))
    return forms


def schema_form(operation, opset):
    """The same (types, attributes) from ONNX's schema; None if the opset has no such operation."""
    try:
        schema = onnx.defs.get_schema(operation, opset, "")
    except onnx.defs.SchemaError:
        return None
    single = {c.type_param_str: c.allowed_type_strs[0] for c in schema.type_constraints if len(c.allowed_type_strs) == 1}

    def operand(parameter):
        type_name = single.get(parameter.type_str, parameter.type_str)
        return re.sub(r"tensor\((\w+)\)", r"\1", type_name) + MARKS[parameter.option]

    types = " ".join([*map(operand, schema.inputs), "->", *map(operand, schema.outputs)])
    attributes = [f"{name}:{attribute.type.name.lower()}{'!' if attribute.required else ''}"
                  for name, attribute in schema.attributes.items()]
    return types, " ".join(sorted(attributes))


def renamed(types):
    """Types with their letters numbered, since the letter that stands for a type does not matter."""
    numbers = {}
    return re.sub(r"\b[A-Z]\w*", lambda letter: f"#{numbers.setdefault(letter.group(), len(numbers))}", types)


def difference(operation, forms, opset):
    known = [form for form in forms if form[0] <= opset]
    expected = schema_form(operation, opset)
    if not known or expected is None:
        return None if not known and expected is None else f"there is {'no ' if not known else 'a '}form"
    _, types, attributes = known[-1]
    if renamed(types) != renamed(expected[0]):
        return f"types '{types}', not '{expected[0]}'"
    return None if attributes == expected[1] else f"attributes '{attributes}', not '{expected[1]}'"


def index_letters(forms):
    """Plumb treats a type named Tind as int32 or int64. The schemas do the same."""
    for operation, known in forms.items():
        for since, types, _ in known:
            if "Tind" not in types:
                continue
            schema = onnx.defs.get_schema(operation, max(since, FIRST_OPSET), "")
            allowed = {c.type_param_str: set(c.allowed_type_strs) for c in schema.type_constraints}["Tind"]
            if allowed != {"tensor(int32)", "tensor(int64)"}:
                yield f"{operation} at opset {since}: Tind is one of {sorted(allowed)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--writer", required=True)
    forms = plumb_forms(parser.parse_args().writer)
    problems, compared = list(index_letters(forms)), 0
    for operation, known in sorted(forms.items()):
        if [form[0] for form in known] != sorted({form[0] for form in known}):
            problems.append(f"{operation}: its forms are not in the order of their opsets")
        for opset in range(FIRST_OPSET, LAST_OPSET + 1):
            compared += 1
            found = difference(operation, known, opset)
            if found:
                problems.append(f"{operation} at opset {opset}: {found}")
    print("\n".join(problems + [f"{compared} compared, {len(problems)} different"]))
    return 1 if problems or compared == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
