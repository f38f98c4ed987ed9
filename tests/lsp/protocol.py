"""The language server as editors see it. Run by tests/tool/lsp.rs."""

import asyncio
import faulthandler
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from editor import ROOT, SERVER, Editor, Raw, at, edited, range_of, text_of

BANK = (ROOT / "specs/bank.rcp").read_text()
CASE_STUDY = (ROOT / "specs/resource_allocation/modern.rcp").read_text()
CLASSIC = (ROOT / "specs/resource_allocation/classic.rcp").read_text()
ROPE = (ROOT / "specs/ispl/tug_of_war.ispl").read_text()

SMALL = """enum channel {line}
message-structure: LOAD : int
property-variables: busy : bool
guard small(x : int, y : int) := x < y;

agent Source
    local: sent : 0..5
    init: sent = 0
    relabel: busy <- false
    receive-guard: chan = *
    repeat: (
        send: {small(sent, 5)} line! (!@busy)(LOAD := sent)[sent := sent + 1]
    )

agent Worker
    local: load : int, working : bool
    init: load = 0 & !working
    relabel: busy <- working
    receive-guard: chan = line
    repeat: (
        take: {true} line? [load := LOAD, working := true]; // naïve 😀 comment
        rest: {true} *! (false)()[working := false]
    )

system = Source(source, true) || Worker(one, true) || Worker(two, true)

// name: loads
SPEC G ([[sender = source]] (one-load = two-load));
// name: rests
SPEC forall k : Worker . G (k-working -> X !k-working) & G (k-load >= 0);
"""

# No engine decides its spec soon: it holds, as no cube is the sum of two others (Euler).
ENDLESS = """agent Counter
    local: a : int, b : int, c : int
    init: a = 1 & b = 1 & c = 1
    receive-guard: chan = *
    repeat: (
        {true} *! (false)()[a := a + 1]
        + {true} *! (false)()[b := b + 1]
        + {true} *! (false)()[c := c + 1]
    )

system = Counter(one, true)

// name: euler
SPEC G (one-a * one-a * one-a + one-b * one-b * one-b != one-c * one-c * one-c);
"""


class Protocol(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.editor = await Editor().start("--jobs", "2")
        self.client = self.editor.client

    async def asyncTearDown(self):
        await self.editor.stop()

    async def refused(self, request, words):
        with self.assertRaises(JsonRpcException) as caught:
            await request
        self.assertIn(words, str(caught.exception))

    async def test_it_says_what_it_can_do(self):
        capabilities = self.editor.capabilities.capabilities
        self.assertEqual(capabilities.position_encoding, "utf-16")
        self.assertIn("rcheck-smt.prove", capabilities.execute_command_provider.commands)
        self.assertEqual(self.editor.capabilities.server_info.name, "rcheck-smt")

    async def test_diagnostics_are_those_of_check(self):
        for name in ["types.rcp", "names.rcp"]:
            text = "enum channel {c}\nagent A\n local: x : bool, ü : int\n repeat: {y = 1 & x} c! true ()[x := 3]\nsystem = A(a, true)\nSPEC G a-z;"
            uri = self.editor.open(name, text)
            found = await self.editor.found(uri)
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "m.rcp"
                path.write_text(text)
                run = subprocess.run([SERVER, "check", "--format", "json", path], capture_output=True, text=True)
            expected = json.loads(run.stdout)
            self.assertEqual([it.code for it in found], [it["code"] for it in expected])
            self.assertEqual([it.range.start.line + 1 for it in found], [it["line"] for it in expected])
            for ours, theirs in zip(found, expected):
                self.assertIn(theirs["help"] or "", ours.message)

    async def test_errors_in_clauses_are_said(self):
        for name, text in [("m.smt2", "nonsense"), ("m.vmt", "nonsense"), ("m.rcp", "(set-logic HORN) (assert")]:
            uri = self.editor.open(name, text)
            self.assertEqual(set(await self.editor.codes(uri)), {"E0104"})
            await self.refused(self.editor.command("prove", uri), "`rcheck-smt prove` takes the file")

    async def test_ispl_has_diagnostics_and_verdicts(self):
        # The text tells its language, whatever its name is.
        uri = self.editor.open("m.rcp", ROPE.replace("rope > -2;", "rope > -2 and lost < 9 and here = 1;"))
        found = {it.code: it for it in await self.editor.found(uri)}
        self.assertEqual(found["E0202"].severity, lsp.DiagnosticSeverity.Error)
        self.assertEqual(text_of(ROPE.replace("rope > -2;", "rope > -2 and lost < 9 and here = 1;"), found["E0202"].range), "here")
        await self.refused(self.editor.command("prove", uri), "has errors")
        uri = self.editor.open("m.ispl", ROPE.replace(" and won < 3", ""))
        self.assertEqual(await self.editor.codes(uri), ["W0510"])
        self.editor.change(uri, ROPE)
        self.assertEqual(await self.editor.codes(uri), [])
        document = lsp.CodeLensParams(text_document=lsp.TextDocumentIdentifier(uri=uri))
        titles = [lens.command.title for lens in await self.client.text_document_code_lens_async(document)]
        self.assertEqual(titles[:5], ["deadlock", "overflow", "prove all", "prove", "bmc"])
        results = await self.editor.command("prove", uri)
        self.assertTrue(all(it["agreement"] == "met" for it in results), results)
        [overflow, *_] = await self.editor.command("check", uri, check="overflow")
        self.assertEqual(overflow["verdict"], "impossible")
        # A violated formula is marked, and its run is shown.
        [violated, *_] = [it["spec"] for it in results if it["hasTrace"]]
        await self.editor.until(lambda: any(it.code == "violated" for it in self.editor.diagnostics[uri].diagnostics))
        [mark, *_] = [it for it in self.editor.diagnostics[uri].diagnostics if it.code == "violated"]
        self.assertEqual(text_of(ROPE, mark.range), results[violated - 1]["text"])
        trace = await self.editor.command("trace", uri, spec=violated)
        self.assertEqual(len(trace["states"]), len(trace["steps"]) + 1)
        self.assertEqual(trace["states"][0][0], ["Environment.rope", "0"])
        self.assertIn("Environment.rope: 0 -> -1", trace["steps"][0]["changes"])
        await self.editor.command("step", uri, spec=violated, position=1)
        # A change on which no verdict depends leaves it; any other drops it.
        self.editor.change(uri, ROPE.replace("\nFormulae\n", "\nFormulae\n  EF middle;\n") + "-- behind\n")
        self.assertEqual(len(await self.editor.command("results", uri)), len(results))
        self.editor.change(uri, ROPE.replace("lost < 3", "lost < 2"))
        self.assertEqual(await self.editor.command("results", uri), [])

    async def test_ispl_has_states_and_nothing_fails(self):
        uri = self.editor.open("m.ispl", ROPE)
        overview = await self.editor.command("overview", uri)
        self.assertEqual([it["name"] for it in overview["instances"]], ["Environment", "Left", "Right"])
        begin = await self.editor.command("states", uri)
        self.assertEqual(len(begin["names"]), len(begin["owners"]))
        self.assertEqual(begin["names"][0], "Environment.rope")
        expanded = await self.editor.command("expand", uri, state=begin["initial"][0]["state"])
        self.assertEqual(len(expanded["steps"]), 4)
        part = await self.editor.command("explore", uri, most=1000)
        self.assertTrue(part["complete"])
        found = await self.editor.command("search", uri, condition="Environment.rope = 2 and !left_tired")
        self.assertGreater(len(found["states"]), 0)
        self.assertTrue((await self.editor.command("automata", uri)).startswith("<svg"))
        document, place = lsp.TextDocumentIdentifier(uri=uri), at(uri, ROPE, "rope")
        self.assertIsNone(await self.client.text_document_hover_async(lsp.HoverParams(**place)))
        self.assertIsNone(await self.client.text_document_prepare_rename_async(lsp.PrepareRenameParams(**place)))
        self.assertIsNone(await self.client.text_document_rename_async(lsp.RenameParams(**place, new_name="cord")))
        self.assertFalse(await self.client.text_document_completion_async(lsp.CompletionParams(**place)))
        options = lsp.FormattingOptions(tab_size=4, insert_spaces=True)
        formatting = lsp.DocumentFormattingParams(text_document=document, options=options)
        self.assertFalse(await self.client.text_document_formatting_async(formatting))
        self.assertFalse(await self.client.text_document_document_symbol_async(lsp.DocumentSymbolParams(text_document=document)))
        tokens = lsp.SemanticTokensParams(text_document=document)
        self.assertFalse(await self.client.text_document_semantic_tokens_full_async(tokens))

    async def test_edits_come_in_pieces(self):
        uri = self.editor.open("m.rcp", SMALL)
        self.assertEqual([it for it in await self.editor.codes(uri) if it.startswith("E")], [])
        line = SMALL.split("\n").index("    init: sent = 0")
        self.editor.change(uri, (line, 10, line, 14, "snet"), (0, 0, 0, 0, "// ü😀\n"))
        found = [it for it in await self.editor.found(uri) if it.code == "E0202"]
        self.assertEqual([it.range.start.line for it in found], [line + 1])
        self.editor.change(uri, (line + 1, 10, line + 1, 14, "sent"))
        self.assertNotIn("E0202", await self.editor.codes(uri))

    async def test_what_only_a_look_at_the_states_shows_comes_later(self):
        stuck = SMALL.replace("init: sent = 0", "init: sent = 0 & sent = 1")
        uri = self.editor.open("m.rcp", stuck)
        has = lambda: any(it.code == "E0501" for it in self.editor.diagnostics[uri].diagnostics)
        await self.editor.found(uri)
        await self.editor.until(has)

    async def test_quick_fixes_correct(self):
        text = SMALL.replace("X !k-working)", "X !k-wroking)").replace("    relabel: busy <- working\n", "")
        text = text.replace("init: load = 0 &", "init: load = 0 & working | working &")
        uri = self.editor.open("m.rcp", text)
        before = await self.editor.codes(uri)
        self.assertIn("E0202", before)
        self.assertIn("W0101", before)
        for _ in range(6):
            whole = range_of(0, 0, text.count("\n"), 0)
            params = lsp.CodeActionParams(
                text_document=lsp.TextDocumentIdentifier(uri=uri),
                range=whole,
                context=lsp.CodeActionContext(diagnostics=[]),
            )
            actions = await self.client.text_document_code_action_async(params)
            actions = [it for it in actions if it.diagnostics[0].code in ("E0202", "E0205", "W0101")]
            if not actions:
                break
            self.assertEqual(actions[0].kind, lsp.CodeActionKind.QuickFix)
            text = edited(text, actions[0].edit.changes[uri])
            self.editor.change(uri, text)
        after = await self.editor.codes(uri)
        self.assertEqual([code for code in after if code in ("E0202", "E0205", "W0101")], [], text)

    async def hover(self, uri, text, word, **more):
        result = await self.client.text_document_hover_async(lsp.HoverParams(**at(uri, text, word, **more)))
        return result.contents.value if result else None

    async def test_hover_says_types_partners_and_readings(self):
        uri = self.editor.open("m.rcp", SMALL)
        self.assertIn("0 to 5", await self.hover(uri, SMALL, "sent"))
        send = await self.hover(uri, SMALL, "send:")
        self.assertIn("multicast on `line`", send)
        self.assertIn("`Worker` (2 instances): `take`", send)
        self.assertIn("blocks it if it cannot receive: `Worker`", send)
        self.assertIn("can receive from `Source` (1 instance): `send`", await self.hover(uri, SMALL, "take:"))
        self.assertIn("no agent can receive it", await self.hover(uri, SMALL, "rest:"))
        spec = await self.hover(uri, SMALL, "SPEC", occurrence=2)
        self.assertIn("G ((k-working -> X !k-working) & G (k-load >= 0))", spec)
        self.assertIn("for ever", await self.hover(uri, SMALL, "G (["))
        self.assertIsNone(await self.hover(uri, SMALL, "naïve"))
        self.assertIn("local variable of `Worker`", await self.hover(uri, SMALL, "working := true"))

    async def test_names_lead_to_declarations_and_uses(self):
        uri = self.editor.open("m.rcp", SMALL)
        place = at(uri, SMALL, "working -> X")
        [declared] = await self.client.text_document_definition_async(lsp.DefinitionParams(**place))
        self.assertEqual(text_of(SMALL, declared.range), "working")
        self.assertEqual(declared.range.start.line, SMALL[: SMALL.index("working : bool")].count("\n"))
        for with_declaration, count in [(True, 7), (False, 6)]:
            context = lsp.ReferenceContext(include_declaration=with_declaration)
            uses = await self.client.text_document_references_async(lsp.ReferenceParams(context=context, **place))
            self.assertEqual([text_of(SMALL, it.range) for it in uses], ["working"] * count)
        marks = await self.client.text_document_document_highlight_async(lsp.DocumentHighlightParams(**place))
        self.assertEqual(len(marks), 7)
        nothing = at(uri, SMALL, "naïve")
        self.assertIsNone(await self.client.text_document_definition_async(lsp.DefinitionParams(**nothing)))

    async def test_rename_is_checked(self):
        for name, text, word in [("m.rcp", SMALL, "working -> X"), ("c.rcp", CLASSIC, "cLink")]:
            uri = self.editor.open(name, text)
            # The findings of a look at the states come later, before or after the renaming.
            codes = lambda found: [it.code for it in found if not it.code.startswith("N")]
            before = codes(await self.editor.found(uri))
            place = at(uri, text, word)
            found = await self.client.text_document_prepare_rename_async(lsp.PrepareRenameParams(**place))
            self.assertTrue(text_of(text, found).isidentifier())
            edit = await self.client.text_document_rename_async(lsp.RenameParams(new_name="fresh_name", **place))
            new = edited(text, edit.changes[uri])
            self.assertEqual(new.count("fresh_name"), len(edit.changes[uri]))
            self.editor.change(uri, new)
            self.assertEqual(codes(await self.editor.found(uri)), before)
            self.editor.change(uri, text)
        uri = self.editor.open("m.rcp", SMALL)
        for name, words in [("load", "would change"), ("G", "cannot be a name"), ("a b", "cannot be a name")]:
            rename = lsp.RenameParams(new_name=name, **at(uri, SMALL, "working"))
            await self.refused(self.client.text_document_rename_async(rename), words)
        broken = SMALL.replace("repeat: (", "repeat: ((", 1)
        self.editor.change(uri, broken)
        rename = lsp.RenameParams(new_name="fresh", **at(uri, broken, "working"))
        await self.refused(self.client.text_document_rename_async(rename), "syntax errors")

    async def labels(self, uri, text, word, **more):
        place = at(uri, text, word, **more)
        items = await self.client.text_document_completion_async(lsp.CompletionParams(**place))
        return [item.label for item in items]

    async def test_completion_knows_the_place(self):
        uri = self.editor.open("m.rcp", SMALL)
        members = await self.labels(uri, SMALL, "k-working", behind=2)
        self.assertEqual(members[:4], ["load", "working", "take", "rest"])
        self.assertNotIn("sent", members)
        action = await self.labels(uri, SMALL, "} line!", behind=2)
        self.assertEqual(action[:4], ["*", "GET@", "SUPPLY@", "line"])
        self.assertEqual(await self.labels(uri, SMALL, "(LOAD :=", behind=1), ["LOAD"])
        self.assertEqual(await self.labels(uri, SMALL, "[sent :=", behind=1), ["sent"])
        self.assertIn("busy", await self.labels(uri, SMALL, "@busy", behind=1))
        self.assertIn("Worker", await self.labels(uri, SMALL, "k : Worker", behind=4))
        self.assertIn("sender", await self.labels(uri, SMALL, "[[sender", behind=2))
        self.assertIn("source", await self.labels(uri, SMALL, "sender = source", behind=9))
        self.assertIn("bool", await self.labels(uri, SMALL, "working : bool", behind=10))
        self.assertIn("send", await self.labels(uri, SMALL, "rest: {"))
        self.assertIn("agent", await self.labels(uri, SMALL, "enum"))
        # Half of a spec, behind half of an agent.
        half = SMALL.replace("rest: {true} *! (false)()[working := false]\n    )", "rest: {true") + "SPEC forall j : Worker . F (j-"
        self.editor.change(uri, half)
        self.assertIn("load", await self.labels(uri, half, "F (j-", behind=5))

    async def test_signatures_of_guards(self):
        uri = self.editor.open("m.rcp", SMALL)
        for word, active in [("small(sent", 0), ("small(sent, 5", 1)]:
            place = at(uri, SMALL, word, behind=len(word))
            found = await self.client.text_document_signature_help_async(lsp.SignatureHelpParams(**place))
            self.assertEqual(found.signatures[0].label, "small(x : int, y : int)")
            self.assertEqual(found.active_parameter, active)

    async def test_structure(self):
        uri = self.editor.open("m.rcp", SMALL)
        document = lsp.TextDocumentIdentifier(uri=uri)
        symbols = await self.client.text_document_document_symbol_async(lsp.DocumentSymbolParams(text_document=document))
        names = {it.name: [child.name for child in it.children or []] for it in symbols}
        self.assertEqual(names["Worker"], ["load", "working", "take", "rest"])
        self.assertEqual([it.name for it in symbols][-2:], ["loads", "rests"])
        folds = await self.client.text_document_folding_range_async(lsp.FoldingRangeParams(text_document=document))
        agent = SMALL[: SMALL.index("agent Worker")].count("\n")
        self.assertIn(agent, [fold.start_line for fold in folds])
        position = at(uri, SMALL, "sent + 1")["position"]
        params = lsp.SelectionRangeParams(text_document=document, positions=[position])
        [selection] = await self.client.text_document_selection_range_async(params)
        grown = []
        while selection:
            grown.append(text_of(SMALL, selection.range))
            selection = selection.parent
        self.assertEqual(grown[:2], ["sent", "sent + 1"])
        self.assertEqual(grown[-1], SMALL)
        everywhere = await self.client.workspace_symbol_async(lsp.WorkspaceSymbolParams(query="inspector"))
        self.assertIn("specs/bank.rcp", "".join(it.location.uri for it in everywhere))

    async def test_colours_count_units_of_utf_16(self):
        uri = self.editor.open("m.rcp", SMALL)
        document = lsp.TextDocumentIdentifier(uri=uri)
        tokens = await self.client.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(text_document=document))
        legend = self.editor.capabilities.capabilities.semantic_tokens_provider.legend.token_types
        line = start = 0
        seen = {}
        for by_line, by_start, length, kind, _ in zip(*[iter(tokens.data)] * 5):
            line, start = line + by_line, by_start if by_line else start + by_start
            seen[text_of(SMALL, range_of(line, start, line, start + length))] = legend[kind]
        self.assertEqual(seen["// naïve 😀 comment"], "comment")
        expected = {"agent": "keyword", "Worker": "class", "line": "enumMember", "take": "function", "5": "number"}
        self.assertEqual({word: seen[word] for word in expected}, expected)
        part = lsp.SemanticTokensRangeParams(text_document=document, range=range_of(0, 0, 1, 0))
        some = await self.client.text_document_semantic_tokens_range_async(part)
        self.assertLess(len(some.data), len(tokens.data))

    async def test_hints_show_states_and_groups(self):
        uri = self.editor.open("m.rcp", SMALL)
        whole = range_of(0, 0, 99, 0)
        params = lsp.InlayHintParams(text_document=lsp.TextDocumentIdentifier(uri=uri), range=whole)
        hints = await self.client.text_document_inlay_hint_async(params)
        self.assertEqual([it.label for it in hints if "→" in it.label], ["0→0 ", "0→1 ", "1→0 "])
        # The second spec is grouped otherwise by the other dialect: as `G ((..) & G (..))`.
        self.assertEqual("".join(it.label for it in hints if it.label in "()"), "(())")

    async def formatted(self, uri, text, part=None):
        """A text as the server formats it, or a part of it."""
        options = lsp.FormattingOptions(tab_size=4, insert_spaces=True)
        document = lsp.TextDocumentIdentifier(uri=uri)
        if part is None:
            params = lsp.DocumentFormattingParams(text_document=document, options=options)
            return edited(text, await self.client.text_document_formatting_async(params))
        params = lsp.DocumentRangeFormattingParams(text_document=document, options=options, range=part)
        return edited(text, await self.client.text_document_range_formatting_async(params))

    async def test_formatting_is_that_of_fmt(self):
        ugly = SMALL.replace("init: sent = 0", "init:   sent=0").replace("SPEC G ([[", "SPEC   G ([[")
        uri = self.editor.open("m.rcp", ugly)
        run = subprocess.run([SERVER, "fmt", "-"], input=ugly, capture_output=True, text=True)
        self.assertEqual(await self.formatted(uri, ugly), run.stdout)
        line = ugly[: ugly.index("init:   sent")].count("\n")
        new = await self.formatted(uri, ugly, range_of(line, 0, line, 1))
        self.assertIn("SPEC   G", new)
        self.assertNotIn("init:   sent", new)

    async def test_verdicts_come_with_lenses_and_progress(self):
        uri = self.editor.open("m.rcp", SMALL)
        document = lsp.CodeLensParams(text_document=lsp.TextDocumentIdentifier(uri=uri))
        titles = [lens.command.title for lens in await self.client.text_document_code_lens_async(document)]
        self.assertEqual(titles, ["deadlock", "overflow", "dead code", "prove all", "prove", "bmc", "prove", "bmc"])
        results = await self.editor.command("prove", uri)
        verdicts = [(it["spec"], it["verdict"]) for it in results]
        run = subprocess.run([SERVER, "prove", "--format", "json", "-"], input=SMALL, capture_output=True, text=True)
        expected = [json.loads(line)["verdict"] for line in run.stdout.splitlines()]
        self.assertEqual(verdicts, [(1, expected[0]), (2, expected[1])])
        titles = [lens.command.title for lens in await self.client.text_document_code_lens_async(document)]
        self.assertTrue(any(title.startswith("✓ holds") or title.startswith("✗ violated") for title in titles), titles)
        kinds = [it.value["kind"] if isinstance(it.value, dict) else it.value.kind for it in self.editor.progress]
        self.assertEqual((kinds[0], kinds[-1]), ("begin", "end"))
        self.assertIn(lsp.WORKSPACE_CODE_LENS_REFRESH, self.editor.requests)
        self.assertIn("✗ violated", await self.hover(uri, SMALL, "SPEC", occurrence=2))
        # A change that does not matter leaves the verdicts as they are; one that matters drops them.
        self.editor.change(uri, "// a comment\n" + SMALL.replace("// name: loads\n", ""))
        self.assertEqual(len(await self.editor.command("results", uri)), 2)
        self.editor.change(uri, SMALL.replace("one-load = two-load", "one-load != two-load"))
        self.assertEqual([it["spec"] for it in await self.editor.command("results", uri)], [2])
        self.editor.change(uri, SMALL.replace("sent + 1", "sent + 2"))
        self.assertEqual(await self.editor.command("results", uri), [])
        self.editor.change(uri, SMALL)
        self.assertEqual(len(await self.editor.command("results", uri)), 2)

    async def test_checks_beyond_specs(self):
        uri = self.editor.open("m.rcp", SMALL)
        [deadlock] = await self.editor.command("check", uri, check="deadlock")
        self.assertIn(deadlock["verdict"], ["possible", "impossible"])
        self.assertGreater(len(await self.editor.command("check", uri, check="dead-code")), 1)

    async def test_counterexamples_are_stepped_through_in_the_source(self):
        uri = self.editor.open("m.rcp", SMALL)
        [result] = await self.editor.command("prove", uri, spec=2)
        self.assertEqual(result["verdict"], "violated")
        await self.editor.until(lambda: any(it.code == "violated" for it in self.editor.diagnostics[uri].diagnostics))
        [mark] = [it for it in self.editor.diagnostics[uri].diagnostics if it.code == "violated"]
        self.assertEqual(text_of(SMALL, mark.range), "!k-working")
        trace = await self.editor.command("trace", uri, spec=2)
        self.assertEqual(len(trace["states"]), len(trace["steps"]) + 1)
        self.assertTrue(trace["chart"].startswith("<svg"))
        first = trace["steps"][0]
        ranges = [lsp.Range(lsp.Position(**it["start"]), lsp.Position(**it["end"])) for it in first["commands"]]
        self.assertTrue(text_of(SMALL, ranges[0]).startswith("send:"))
        self.assertTrue(text_of(SMALL, ranges[1]).startswith("take:"))
        self.assertIn("source-sent: 0 -> 1", first["changes"])
        await self.editor.command("step", uri, spec=2, position=1)
        params = lsp.InlayHintParams(text_document=lsp.TextDocumentIdentifier(uri=uri), range=range_of(0, 0, 99, 0))
        hints = [it.label for it in await self.client.text_document_inlay_hint_async(params)]
        self.assertTrue(any("source-sent: 0 -> 1" in label for label in hints), hints)
        await self.editor.command("step", uri, spec=2)
        hints = [it.label for it in await self.client.text_document_inlay_hint_async(params)]
        self.assertFalse(any("source-sent" in label for label in hints), hints)

    async def test_counterexamples_outlive_what_no_run_depends_on(self):
        uri = self.editor.open("m.rcp", SMALL)
        await self.editor.command("prove", uri, spec=2)
        idle = "agent Idle\n    repeat: wait: {true} *! (true)()[]\n\nagent Source"
        changed = SMALL.replace("agent Source", "const LIMIT = 3;\n" + idle, 1)
        for text in [changed, SMALL, changed]:
            self.editor.change(uri, text)
            self.assertEqual([it["verdict"] for it in await self.editor.command("results", uri)], ["violated"])
            first = (await self.editor.command("trace", uri, spec=2))["steps"][0]["commands"][0]
            place = lsp.Range(lsp.Position(**first["start"]), lsp.Position(**first["end"]))
            self.assertTrue(text_of(text, place).startswith("send:"))
            await self.editor.command("step", uri, spec=2, position=1)
            self.assertIn("1. source-send", await self.editor.command("tell", uri, spec=2))

    async def test_proofs_are_explained_and_certified(self):
        uri = self.editor.open("bank.rcp", BANK)
        [result] = await self.editor.command("prove", uri, spec=2)
        self.assertEqual(result["verdict"], "holds")
        explanation = await self.editor.command("explain", uri, spec=2)
        self.assertIn("balance", explanation)
        with tempfile.TemporaryDirectory() as folder:
            [result] = await self.editor.command("certificate", uri, spec=2, folder=folder)
            certificates = [path for path in result["evidence"] if path.endswith(".json")]
            self.assertEqual(len(certificates), 1)
            run = subprocess.run([SERVER, "certify", ROOT / "specs/bank.rcp", certificates[0]], capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        svg = await self.editor.command("automata", uri)
        self.assertTrue(svg.startswith("<svg"))

    async def test_cancelled_work_ends(self):
        hard = (ROOT / "specs/ticket_lock.rcp").read_text()
        uri = self.editor.open("m.rcp", ENDLESS)
        other = self.editor.open("ticket_lock.rcp", hard)
        request = asyncio.ensure_future(self.editor.command("prove", uri, spec=1))
        params = lsp.CodeLensParams(text_document=lsp.TextDocumentIdentifier(uri=uri))
        while True:
            titles = [lens.command.title for lens in await self.client.text_document_code_lens_async(params)]
            if any("running" in title for title in titles):
                break
        token = self.editor.progress[0].token
        self.client.window_work_done_progress_cancel(lsp.WorkDoneProgressCancelParams(token=token))
        await self.refused(request, "cancelled")
        # The server goes on.
        self.assertEqual((await self.editor.command("prove", other, spec=1))[0]["verdict"], "holds")

    async def test_a_change_drops_what_depends_on_it(self):
        uri = self.editor.open("m.rcp", ENDLESS)
        request = asyncio.ensure_future(self.editor.command("bmc", uri, spec=1, bound=100000))
        await asyncio.sleep(0)
        await self.editor.until(lambda: self.editor.progress)
        self.editor.change(uri, SMALL)
        [answer] = await request
        self.assertEqual((answer["spec"], answer["gone"], answer["verdict"]), (None, True, "unknown"))
        self.assertEqual(await self.editor.command("results", uri), [])

    async def test_names_lines_and_expectations_are_those_of_the_text(self):
        text = SMALL.replace("// name: rests", "// name: rests, expect: violated")
        uri = self.editor.open("m.rcp", text)
        lenses = lsp.CodeLensParams(text_document=lsp.TextDocumentIdentifier(uri=uri))

        async def seen(number):
            [result] = await self.editor.command("results", uri, spec=number)
            titles = [lens.command.title for lens in await self.client.text_document_code_lens_async(lenses)]
            severities = [it.severity for it in await self.editor.found(uri) if it.code == "violated"]
            return result, [title for title in titles if "violated" in title], severities

        await self.editor.command("prove", uri, spec=2)
        result, [title], severities = await seen(2)
        self.assertEqual((result["agreement"], result["name"]), ("met", "rests"))
        self.assertIn("as expected", title)
        self.assertEqual(severities, [lsp.DiagnosticSeverity.Hint])
        line = result["line"]
        text = "// one more line\n" + SMALL.replace("// name: rests", "// name: pauses, expect: holds")
        self.editor.change(uri, text)
        result, [title], severities = await seen(2)
        self.assertEqual((result["agreement"], result["name"], result["line"]), ("mismatch", "pauses", line + 1))
        self.assertIn("unexpected: the file expects", title)
        self.assertEqual(severities, [lsp.DiagnosticSeverity.Error])
        # Specs that say the same share the verdict, and nothing else.
        again = text + "// name: twice\n" + SMALL[SMALL.index("SPEC forall") :]
        self.editor.change(uri, again)
        results = await self.editor.command("results", uri)
        self.assertEqual([(it["spec"], it["name"], it["agreement"]) for it in results], [(2, "pauses", "mismatch"), (3, "twice", None)])
        self.assertLess(results[0]["line"], results[1]["line"])

    async def test_answers_name_the_specs_of_the_present_text(self):
        uri = self.editor.open("m.rcp", SMALL)
        request = asyncio.ensure_future(self.editor.command("prove", uri, spec=2))
        await asyncio.sleep(0)
        self.editor.change(uri, SMALL.replace("// name: loads", "SPEC G true;\n// name: loads"))
        [answer] = await request
        self.assertEqual(answer["name"], "rests")
        # By the version one can tell which text the number belongs to.
        self.assertEqual(answer["spec"], {1: 2, 2: 3}[answer["version"]])
        line = SMALL[: SMALL.index("SPEC forall")].count("\n") + answer["version"]
        self.assertEqual(answer["line"], line)

    async def test_marks_stay_at_the_part_that_fails(self):
        uri = self.editor.open("m.rcp", SMALL)
        await self.editor.command("prove", uri, spec=2)
        for spec in [
            "SPEC forall k : Worker . G (k-working -> X !k-working) & G (k-load >= 0);",
            "SPEC   forall k : Worker .\n  G (k-working   -> /* then */ X !k-working)\n & G (k-load >= 0);",
            "SPEC forall k : Worker . // each\n\n  G(k-working->X !k-working)&G ( k-load>=0 ) ;",
        ]:
            text = SMALL[: SMALL.index("SPEC forall")] + spec
            self.editor.change(uri, text)
            marks = [it for it in await self.editor.found(uri) if it.code == "violated"]
            self.assertEqual([text_of(text, it.range).strip("()") for it in marks], ["!k-working"], spec)

    async def test_a_proof_says_more_than_a_search(self):
        uri = self.editor.open("m.rcp", SMALL)
        [proved] = await self.editor.command("prove", uri, spec=1)
        self.assertEqual(proved["verdict"], "holds")
        [searched] = await self.editor.command("bmc", uri, spec=1, bound=3)
        self.assertEqual(searched["verdict"], "clear")
        self.assertEqual([it["verdict"] for it in await self.editor.command("results", uri)], ["holds"])
        uri = self.editor.open("other.rcp", SMALL)
        for bound in [5, 3]:
            await self.editor.command("bmc", uri, spec=1, bound=bound)
        [known] = await self.editor.command("results", uri)
        self.assertIn("no counterexample up to 5 steps", known["words"])

    async def test_states_keep_their_numbers(self):
        uri = self.editor.open("specs/resource_allocation/modern.rcp", CASE_STUDY)
        begin = await self.editor.command("states", uri)
        first = begin["initial"][0]["state"]
        places = {first: begin["initial"][0]["values"]}
        for step in (await self.editor.command("expand", uri, state=first))["steps"]:
            places[step["target"]["state"]] = step["target"]["values"]
        self.assertGreater(len(places), 1)
        # The user looks at the picture of all states, first so and then merged.
        await self.editor.command("states", uri, merged=True)
        await self.editor.command("explore", uri, most=50, merged=True)
        await self.editor.command("states", uri)
        for state, values in places.items():
            self.assertEqual((await self.editor.command("expand", uri, state=state))["node"]["values"], values)
        # Of another text the numbers say nothing.
        self.editor.change(uri, CASE_STUDY + "\n")
        await self.refused(self.editor.command("expand", uri, state=first), "begin again")

    async def test_lines_end_as_they_did(self):
        text = SMALL.replace("init: sent = 0", "init:   sent=0").replace("SPEC G ([[", "SPEC   G ([[").replace("\n", "\r\n")
        uri = self.editor.open("m.rcp", text)
        run = subprocess.run([SERVER, "fmt", "-"], input=text, capture_output=True, text=True)
        self.assertEqual(await self.formatted(uri, text), run.stdout.replace("\n", "\r\n"))
        line = text[: text.index("init:   sent")].count("\n")
        place = range_of(line, 0, line, 1)
        new = await self.formatted(uri, text, place)
        self.assertEqual(new, text.replace("init:   sent=0", "init: sent = 0"))
        # Lines beside the part stay as they are, however badly they are written.
        ugly = SMALL.replace("    ", "      ")
        self.editor.change(uri, ugly)
        new = await self.formatted(uri, ugly, place)
        self.assertEqual(new, ugly.replace("\n      init: sent", "\n    init: sent"))

    async def test_assignments_are_writes(self):
        uri = self.editor.open("m.rcp", SMALL)
        marks = await self.client.text_document_document_highlight_async(lsp.DocumentHighlightParams(**at(uri, SMALL, "sent + 1")))
        kinds = [it.kind for it in marks]
        write, read = lsp.DocumentHighlightKind.Write, lsp.DocumentHighlightKind.Read
        self.assertEqual(kinds, [write, read, read, read, write, read])

    async def test_what_cannot_be_written_is_told(self):
        uri = self.editor.open("bank.rcp", BANK)
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "file").write_text("no folder")
            await self.refused(self.editor.command("certificate", uri, spec=2, folder=folder + "/file/below"), "no certificate was written")

    async def test_progress_has_the_name_that_the_client_gives_it(self):
        uri = self.editor.open("m.rcp", SMALL)
        params = lsp.ExecuteCommandParams(command="rcheck-smt.prove", arguments=[{"uri": uri, "spec": 1}], work_done_token=7)
        await self.client.workspace_execute_command_async(params)
        self.assertEqual({it.token for it in self.editor.progress}, {7})
        self.assertNotIn(lsp.WINDOW_WORK_DONE_PROGRESS_CREATE, self.editor.requests)

    async def test_clients_get_what_they_take(self):
        def lenses(raw, uri):
            return [it["command"] for it in raw.ask("textDocument/codeLens", {"textDocument": {"uri": uri}})["result"]]

        snippets = {"textDocument": {"completion": {"completionItem": {"snippetSupport": True}}}}
        for options, capabilities in [({}, {}), ({"showsVerdicts": True, "codicons": True}, snippets)]:
            raw = Raw(initializationOptions=options, capabilities=capabilities)
            commands = raw.capabilities["executeCommandProvider"]["commands"]
            uri = (ROOT / "m.rcp").as_uri()
            raw.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "rcheck", "version": 1, "text": SMALL}})
            asked = {"command": "rcheck-smt.prove", "arguments": [{"uri": uri, "spec": 2}]}
            raw.last += 1
            raw.send({"id": raw.last, "method": "workspace/executeCommand", "params": asked})
            proving = raw.last
            running = [it["title"] for it in lenses(raw, uri) if it["command"] == "rcheck-smt.cancel"]
            self.assertTrue(all(("$(" in title) == bool(options) for title in running), running)
            if proving not in raw.answers:
                raw.until(lambda said: said.get("id") == proving)
            [verdict] = [it for it in lenses(raw, uri) if "violated" in it["title"]]
            self.assertEqual(verdict["command"], "rcheck-smt.show" if options else "rcheck-smt.tell")
            if not options:
                self.assertLessEqual({it["command"] for it in lenses(raw, uri)}, set(commands))
                raw.send({"id": "tell", "method": "workspace/executeCommand", "params": verdict | {"title": None}})
                said = raw.until(lambda said: said.get("method") == "window/showMessage")
                self.assertIn("spec 2 rests: ✗ violated", said["params"]["message"])
                self.assertIn("\n1. ", said["params"]["message"])
            place = at(uri, SMALL, "rest: {")["position"]
            place = {"textDocument": {"uri": uri}, "position": {"line": place.line, "character": place.character}}
            items = raw.ask("textDocument/completion", place)["result"]
            [send] = [it for it in items if it["label"] == "send"]
            formats = {it["insertTextFormat"] for it in items}
            self.assertEqual("$" in send["textEdit"]["newText"], bool(options))
            self.assertEqual(formats, {2} if options else {1})
            raw.end()

    async def test_a_killed_worker_costs_its_verdict_alone(self):
        uri = self.editor.open("bank.rcp", BANK)
        await self.editor.command("prove", uri, spec=1)
        server = self.client._server.pid
        children = Path(f"/proc/{server}/task/{server}/children")
        workers = [int(pid) for path in Path(f"/proc/{server}/task").iterdir() for pid in (path / "children").read_text().split()]
        self.assertTrue(workers, children)
        for worker in workers:
            os.kill(worker, signal.SIGKILL)
        [result] = await self.editor.command("prove", uri, spec=2)
        self.assertIn(result["verdict"], ["holds", "unknown"])
        [result] = await self.editor.command("prove", uri, spec=2)
        self.assertEqual(result["verdict"], "holds")

    async def test_bad_requests_end_nothing(self):
        uri = self.editor.open("m.rcp", SMALL)
        raw = Raw()
        open_document = {"uri": uri, "languageId": "rcheck", "version": 1, "text": SMALL}
        raw.notify("textDocument/didOpen", {"textDocument": open_document})
        for method, params in [
            ("textDocument/hover", {"textDocument": 3}),
            ("textDocument/hover", None),
            ("textDocument/definition", {"textDocument": {"uri": "::"}, "position": {"line": -1, "character": 2}}),
            ("workspace/executeCommand", {"command": "rcheck-smt.prove", "arguments": [7]}),
            ("workspace/executeCommand", {"command": "rcheck-smt.nothing", "arguments": [{"uri": uri}]}),
            ("workspace/executeCommand", {"command": "rcheck-smt.prove", "arguments": [{"uri": "file:///nowhere"}]}),
            ("workspace/executeCommand", {"command": "rcheck-smt.trace", "arguments": [{"uri": uri, "spec": 99}]}),
            ("textDocument/noSuchThing", {}),
        ]:
            self.assertIn("error", raw.ask(method, params), (method, params))
        raw.notify("textDocument/didChange", {"textDocument": 1})
        place = {"textDocument": {"uri": uri}, "position": {"line": 6, "character": 12}}
        self.assertIn("0 to 5", raw.ask("textDocument/hover", place)["result"]["contents"]["value"])
        raw.end()
        far = lsp.Position(10**6, 10**6)
        document = lsp.TextDocumentIdentifier(uri=uri)
        await self.client.text_document_hover_async(lsp.HoverParams(text_document=document, position=far))
        closed = lsp.TextDocumentIdentifier(uri="file:///closed.rcp")
        self.assertIsNone(await self.client.text_document_hover_async(lsp.HoverParams(text_document=closed, position=far)))
        self.assertIn("0 to 5", await self.hover(uri, SMALL, "sent"))

    async def test_requests_are_cancelled_before_their_turn(self):
        uri = self.editor.open("m.rcp", SMALL)
        place = at(uri, SMALL, "sent")
        requests = [asyncio.ensure_future(self.client.text_document_hover_async(lsp.HoverParams(**place))) for _ in range(50)]
        await asyncio.sleep(0)
        requests[-1].cancel()
        answers = await asyncio.gather(*requests, return_exceptions=True)
        self.assertIn("0 to 5", answers[0].contents.value)
        self.assertIn("0 to 5", await self.hover(uri, SMALL, "sent"))

    async def test_two_texts_stay_apart(self):
        one, two = self.editor.open("one.rcp", SMALL), self.editor.open("two.rcp", SMALL.replace("load", "cargo"))
        self.editor.change(one, (6, 11, 6, 15, "snet"))
        self.assertIn("E0202", await self.editor.codes(one))
        self.assertNotIn("E0202", await self.editor.codes(two))
        self.assertIn("cargo", await self.hover(two, SMALL.replace("load", "cargo"), "cargo"))
        self.client.text_document_did_close(lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(uri=one)))
        await self.editor.until(lambda: not self.editor.diagnostics[one].diagnostics)

    async def test_ten_thousand_lines(self):
        agents = [
            f"agent A{n}\n local: x{n} : 0..5, y{n} : bool\n init: x{n} = 0\n receive-guard: chan = *\n repeat: (\n"
            + ";\n".join(f"  c{n}_{k}: {{x{n} < 5 & y{n}}} *! (true)(M := x{n})[x{n} := x{n} + 1]" for k in range(14))
            + "\n )\n"
            for n in range(500)
        ]
        system = "system = " + " || ".join(f"A{n}(a{n}, true)" for n in range(500))
        text = "enum channel {c}\nmessage-structure: M : int\n" + "\n".join(agents) + system + "\nSPEC G (a0-x0 >= 0);\n"
        self.assertGreater(text.count("\n"), 10_000)
        uri = self.editor.open("large.rcp", text)
        self.assertEqual([code for code in await self.editor.codes(uri) if code.startswith("E")], [])
        self.assertIn("0 to 5", await self.hover(uri, text, "x499"))
        document = lsp.TextDocumentIdentifier(uri=uri)
        symbols = await self.client.text_document_document_symbol_async(lsp.DocumentSymbolParams(text_document=document))
        self.assertGreater(len(symbols), 1000)
        await self.client.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(text_document=document))
        await self.client.text_document_code_lens_async(lsp.CodeLensParams(text_document=document))
        line = text[: text.index("init: x499")].count("\n")
        self.editor.change(uri, (line, 7, line, 11, "z499"))
        self.assertIn("E0202", await self.editor.codes(uri))

    async def test_the_case_study_is_decided(self):
        uri = self.editor.open("specs/resource_allocation/modern.rcp", CASE_STUDY)
        results = await self.editor.command("prove", uri)
        self.assertEqual({it["agreement"] for it in results} - {None}, {"met"})
        self.assertTrue(all(it["verdict"] in ("holds", "violated") for it in results))


    async def test_states_are_explored_up_to_symmetry(self):
        uri = self.editor.open("specs/resource_allocation/modern.rcp", CASE_STUDY)
        begin = await self.editor.command("states", uri)
        self.assertTrue(begin["symmetric"])
        plain = await self.editor.command("explore", uri, most=5000)
        # The numbers in the head of the model.
        self.assertEqual((len(plain["nodes"]), plain["complete"]), (306, True))
        self.assertEqual(len(plain["whole"]), 306)
        some = await self.editor.command("explore", uri, most=20)
        self.assertEqual((len(some["nodes"]), some["complete"]), (20, False))
        self.assertLess(len(some["whole"]), 20)
        merged = await self.editor.command("explore", uri, most=5000, merged=True)
        self.assertTrue(merged["complete"])
        # Three clients, and two machines of one group: at most twelve states are alike.
        self.assertGreaterEqual(12 * len(merged["nodes"]), 306)
        self.assertLess(len(merged["nodes"]), 100)
        states = {node["state"] for node in plain["nodes"]}
        self.assertLessEqual({node["state"] for node in merged["nodes"]}, states)
        # Found among those that are alike if one of all is, whichever agent it names.
        condition = "client2-automaton-state = 1 & client1-automaton-state = 0"
        found = await self.editor.command("search", uri, condition=condition, most=5000)
        alike = await self.editor.command("search", uri, condition=condition, most=5000, merged=True)
        self.assertEqual(bool(found["states"]), bool(alike["states"]))
        self.assertEqual((found["seen"], alike["seen"]), (306, len(merged["nodes"])))
        await self.refused(self.editor.command("search", uri, condition="G true"), "no condition")

    async def test_conditions_are_formulas_about_a_state(self):
        fair = (ROOT / "specs/features/fairness.rcp").read_text()
        self.assertIn("ASSUME", fair)
        uri = self.editor.open("specs/features/fairness.rcp", fair)
        for condition, found in [
            ("true", 3),
            ("hammer-free", 1),
            ("forall k : Worker . !k-holds", 1),
            ("exists k : Worker . k-holds", 2),
            ("!(exists k : Worker . k-holds) <-> hammer-free", 3),
            ("(forall k : Worker . k-holds) -> hammer-free", 3),
            ("exists k : Worker . false", 0),
        ]:
            answer = await self.editor.command("search", uri, condition=condition)
            self.assertEqual((len(answer["states"]), answer["seen"]), (found, 3), condition)
        for condition in ["one-take", "<<sender = one>> true", "exists k : Worker . F k-holds", "weak(one)"]:
            await self.refused(self.editor.command("search", uri, condition=condition), "no condition")


class Start(unittest.TestCase):
    def test_what_is_no_message_costs_nothing(self):
        raw = Raw()
        for body, code in [
            (b"{", -32700),
            (b"", -32700),
            (b'{"jsonrpc": "2.0", "id": 5, "method": "x\xff"}', -32700),
            (b'{"jsonrpc": "2.0", "id": 5, "method": "\\ud800"}', -32700),
            (b"[" * 1000, -32700),
            (b"[]", -32600),
            (b'{"jsonrpc": "2.0", "id": 1.5, "method": "shutdown"}', -32600),
            (b'{"jsonrpc": "2.0", "id": null, "method": "shutdown"}', -32600),
            (b'{"jsonrpc": "2.0", "id": {}, "method": "shutdown"}', -32600),
            (b'{"jsonrpc": "2.0", "id": 123456789012, "method": "shutdown"}', -32600),
        ]:
            raw.write(body)
            said = raw.until(lambda said: "error" in said)
            self.assertEqual((said["id"], said["error"]["code"]), (None, code), body)
        raw.write(b'{"jsonrpc": "2.0", "id": 99, "result": null}')
        raw.write(b'{"jsonrpc": "2.0", "id": null, "error": {"code": 1, "message": "no"}}')
        self.assertEqual(raw.ask("initialize", {"capabilities": {}})["error"]["code"], -32600)
        self.assertEqual(raw.ask("noSuchThing", {})["error"]["code"], -32601)
        raw.end()

    def test_after_shutdown_nothing_is_done(self):
        raw = Raw()
        raw.ask("shutdown", None)
        raw.send({"id": "rcheck-smt-1", "result": None})
        raw.notify("textDocument/didOpen", {"textDocument": {"uri": "file:///m.rcp", "languageId": "rcheck", "version": 1, "text": ""}})
        self.assertEqual(raw.ask("shutdown", None)["error"]["code"], -32600)
        self.assertEqual(raw.ask("textDocument/hover", {})["error"]["code"], -32600)
        raw.notify("exit", None)
        self.assertEqual(raw.left(), 0)

    def test_who_leaves_without_a_word_is_told_so(self):
        raw = Raw()
        raw.notify("exit", None)
        self.assertEqual(raw.left(), 1)
        raw = Raw()
        raw.server.stdin.close()
        self.assertEqual(raw.left(), 0)
        raw = Raw(begins=False)
        self.assertEqual(raw.ask("textDocument/hover", {})["error"]["code"], -32002)
        raw.notify("exit", None)
        self.assertEqual(raw.left(), 1)

    def test_what_is_no_protocol_is_refused(self):
        run = subprocess.run([SERVER, "lsp"], input="hello\n", capture_output=True, text=True)
        self.assertEqual(run.returncode, 2)
        self.assertIn("Language Server Protocol", run.stderr)


if __name__ == "__main__":
    # A test that waits for ever says where.
    faulthandler.dump_traceback_later(600, exit=True)
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
