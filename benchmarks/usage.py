"""`--help` of scripts that have no options."""

import sys


def answer_help(text):
    """Prints the text and ends the script, where the first argument asks for help."""
    if sys.argv[1:2] in (["--help"], ["-h"]):
        print(text.strip())
        sys.exit()
