"""Half-typed models through every request: the server answers each, and none by an internal error or after its time.

Without RCHECK_PREFIXES, every 40th word of each model is a place where the user stops typing; `words` takes every word,
`all` every character. Run by tests/tool/lsp.rs and scripts/nightly-editors."""

import os
import re
import sys
import unittest

from editor import ROOT, Raw

# Answers that mean that something went wrong in the server: an internal error, and a request that was given up.
BROKEN = (-32603, -32802)
WORD = re.compile(r"\w+|\s+|.", re.DOTALL)


def models():
    return sorted((ROOT / "specs").rglob("*.rcp"))


def stops(text):
    how = os.environ.get("RCHECK_PREFIXES", "sample")
    if how == "all":
        return list(range(len(text) + 1))
    ends = [match.end() for match in WORD.finditer(text)]
    return ends if how == "words" else ends[::40] + ends[-1:]


def units(text):
    return len(text.encode("utf-16-le")) // 2


def place(text):
    """The end of a text."""
    return {"line": text.count("\n"), "character": units(text[text.rfind("\n") + 1 :])}


def requests(uri, text):
    document = {"textDocument": {"uri": uri}}
    end = place(text)
    at = {**document, "position": end}
    whole = {"start": {"line": 0, "character": 0}, "end": end}
    last = {"start": {"line": max(end["line"] - 3, 0), "character": 0}, "end": end}
    options = {"options": {"tabSize": 4, "insertSpaces": True}}
    for method in ["hover", "definition", "documentHighlight", "prepareRename", "completion", "signatureHelp"]:
        yield "textDocument/" + method, at
    for method in ["documentSymbol", "foldingRange", "codeLens", "semanticTokens/full"]:
        yield "textDocument/" + method, document
    yield "textDocument/references", {**at, "context": {"includeDeclaration": True}}
    yield "textDocument/rename", {**at, "newName": "another"}
    yield "textDocument/selectionRange", {**document, "positions": [end, {"line": 0, "character": 0}]}
    yield "textDocument/formatting", {**document, **options}
    yield "textDocument/rangeFormatting", {**document, **options, "range": last}
    yield "textDocument/codeAction", {**document, "range": whole, "context": {"diagnostics": []}}
    yield "textDocument/inlayHint", {**document, "range": whole}
    yield "textDocument/semanticTokens/range", {**document, "range": last}


def contains(outer, inner):
    ends = [(place["line"], place["character"]) for place in (outer["start"], inner["start"], inner["end"], outer["end"])]
    return ends == sorted(ends)


class Prefixes(unittest.TestCase):
    def check_nesting(self, symbols, what):
        for it in symbols:
            self.assertTrue(contains(it["range"], it["selectionRange"]), f"{it} after {what}")
            for child in it.get("children") or []:
                self.assertTrue(contains(it["range"], child["range"]), f"{child} in {it['name']} after {what}")
            self.check_nesting(it.get("children") or [], what)

    def test_every_request_on_half_typed_models(self):
        found = models()
        self.assertGreater(len(found), 10)
        server, asked = Raw(), 0
        for path in found:
            text = path.read_text()
            uri, typed = path.as_uri(), ""
            item = {"uri": uri, "languageId": "rcheck", "version": 0, "text": ""}
            server.notify("textDocument/didOpen", {"textDocument": item})
            for version, stop in enumerate(stops(text), 1):
                at = place(typed)
                change = {"range": {"start": at, "end": at}, "text": text[len(typed) : stop]}
                identifier = {"uri": uri, "version": version}
                server.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": [change]})
                typed = text[:stop]
                waiting = {}
                for method, params in requests(uri, typed):
                    server.last += 1
                    waiting[server.last] = method
                    server.send({"id": server.last, "method": method, "params": params})
                asked += len(waiting)
                while waiting:
                    said = server.receive()
                    if "method" not in said and said.get("id") in waiting:
                        method = waiting.pop(said["id"])
                        code = said.get("error", {}).get("code")
                        self.assertNotIn(code, BROKEN, f"{method} after {stop} characters of {path}: {said}")
                        if method == "textDocument/documentSymbol":
                            self.check_nesting(said["result"] or [], f"{stop} characters of {path}")
            server.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        server.end()
        print(f"{asked} requests", file=sys.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
