#!/usr/bin/env python3
"""Make BenchExec tasks: a task definition per spec that says which verdict to expect.

    tasks.py FOLDER            for all models of specs/ and a selection of generated families

The models are copied beside the task definitions, so that the folder can go to another machine.
"""

import argparse
import re
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from run import FAMILIES, ROOT, Instance, generate, specs_of  # noqa: E402  (beside this folder)

TASK = """\
format_version: '2.0'
input_files: '{model}'
properties:
  - property_file: ltol.prp
    expected_verdict: {verdict}
options:
  language: R-CHECK
  spec: {number}
"""
PROPERTY = "Every run of the model satisfies the spec that the task's option `spec` counts, from 1.\n"


def write_tasks(instance, folder):
    """The task definitions of one model."""
    for number, name, expected in specs_of(instance):
        if expected not in ("holds", "violated"):
            continue
        verdict = "true" if expected == "holds" else "false"
        text = TASK.format(model=instance.path.name, verdict=verdict, number=number)
        (folder / f"{instance.path.stem}.{number:02}.{re.sub('[^A-Za-z0-9_]', '_', name)}.yml").write_text(text)


def main():
    """Copy models, write tasks."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ltol.prp").write_text(PROPERTY)
    for path in sorted((ROOT / "specs").rglob("*.rcp")):
        name = "_".join(path.relative_to(ROOT / "specs").with_suffix("").parts)
        copy = folder / f"{name}.rcp"
        shutil.copyfile(path, copy)
        write_tasks(Instance(name, copy, (), ()), folder)
    for family, sizes in FAMILIES:
        write_tasks(generate(family, sizes, folder), folder)
    print(f"{len(list(folder.glob('*.yml')))} tasks in {folder}")


if __name__ == "__main__":
    main()
