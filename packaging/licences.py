#!/usr/bin/env python3
"""Prints the licences of everything that a package contains: Z3, Rust's standard library, the crates, and the parts of the page.

Crates with the same licence text, word by word, are listed above it once. Fails if a crate has neither a licence file nor
one of the licences whose texts are ours as well.
"""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RULE = "\n" + 80 * "=" + "\n"


def run(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def crates() -> list[dict]:
    """The crates that are compiled into the binary, without those that only build or test it, by name."""
    host = next(line.split()[1] for line in run("rustc", "-vV").splitlines() if line.startswith("host:"))
    metadata = json.loads(run("cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", host))
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    found, waiting = set(), [metadata["resolve"]["root"]]
    while waiting:
        for dependency in nodes[waiting.pop()]["deps"]:
            is_inside = any(kind["kind"] is None for kind in dependency["dep_kinds"])
            if is_inside and dependency["pkg"] not in found:
                found.add(dependency["pkg"])
                waiting.append(dependency["pkg"])
    # Those without a source are parts of this project.
    others = (packages[package] for package in found if packages[package]["source"] is not None)
    return sorted(others, key=lambda package: (package["name"], package["version"]))


def texts(crate: dict) -> list[str]:
    """The licence files of a crate."""
    folder = pathlib.Path(crate["manifest_path"]).parent
    names = ("LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE")
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name.upper().startswith(names))
    return [path.read_text(encoding="utf-8", errors="replace").strip() for path in files]


def main() -> None:
    ours = {name: (ROOT / f"LICENSE-{name}").read_text().strip() for name in ("MIT", "APACHE")}
    by_text: dict[str, list[str]] = {}

    def add(what: str, licences: list[str]) -> None:
        for text in licences:
            by_text.setdefault(text, []).append(what)

    add("Z3 (MIT)", [(ROOT / "packaging/z3-licence.txt").read_text().strip()])
    for part in (ROOT / "src/cli/serve/page/licences.txt").read_text().split("\n" + 72 * "-" + "\n"):
        what, text = part.strip().split("\n", 1)
        add(f"{what}, in the page of `serve`", [text.strip()])
    add("The Rust standard library (MIT OR Apache-2.0), by the Rust Project Developers", [ours["APACHE"]])
    missing = []
    for crate in crates():
        licence = crate["license"] or "its own licence"
        what, licences = f"{crate['name']} {crate['version']} ({licence})", texts(crate)
        if not licences and "Apache-2.0" in licence:
            licences = [ours["APACHE"]]
        elif not licences and "MIT" in licence:
            authors = ", ".join(crate["authors"]) or f"the authors of {crate['name']}"
            licences = [ours["MIT"].replace("the authors of rcheck-smt", authors)]
        if not licences:
            missing.append(what)
        add(what, licences)
    if missing:
        sys.exit(f"licences: no text for {', '.join(missing)}")
    print("rcheck-smt contains the work of others, under these licences.")
    for text, whose in by_text.items():
        print(RULE + "\n".join(whose) + "\n\n" + text)


if __name__ == "__main__":
    main()
