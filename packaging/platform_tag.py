#!/usr/bin/env python3
"""Prints the platform that ELF files need, as wheels call it: `manylinux_2_35`. With `--glibc`, only `2.35`; elsewhere
than on Linux, `pypi`, which leaves the name to the builder.

The version of glibc is the largest one of which any of the files needs a symbol. A file that links other libraries of the system
than manylinux promises to have is refused: such a wheel would not run everywhere.
"""

import re
import subprocess
import sys

# PEP 600 promises these; libz3 is in the packages.
PROMISED = re.compile(r"(libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+|ld-linux-[a-z0-9-]+)\.so\.\d+|libz3\.so.*")


def run(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def main(arguments: list[str]) -> None:
    only_version = arguments[0] == "--glibc"
    files = arguments[1:] if only_version else arguments
    if not sys.platform.startswith("linux"):
        print("pypi")
        return
    needed = {name for file in files for name in re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "--dynamic", file))}
    if others := sorted(name for name in needed if not PROMISED.fullmatch(name)):
        sys.exit(f"platform_tag: not every Linux has {', '.join(others)}")
    symbols = (version for file in files for version in re.findall(r"GLIBC_(\d+)\.(\d+)", run("objdump", "-T", file)))
    major, minor = max((int(major), int(minor)) for major, minor in symbols)
    print(f"{major}.{minor}" if only_version else f"manylinux_{major}_{minor}")


if __name__ == "__main__":
    main(sys.argv[1:])
