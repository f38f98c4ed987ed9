"""An editor for tests: a client of the Language Server Protocol of another project (pygls), and what it has heard."""

import asyncio
import json
import os
import subprocess
from pathlib import Path

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

ROOT = Path(__file__).resolve().parents[2]
SERVER = os.environ["RCHECK_SMT"]


class Editor:
    """A running server, and the texts that are open."""

    def __init__(self):
        self.client = LanguageClient("editor", "1")
        self.diagnostics = {}
        self.versions = {}
        self.progress = []
        self.requests = []
        self.news = asyncio.Event()

        @self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def publish(params):
            self.diagnostics[params.uri] = params
            self.news.set()

        @self.client.feature(lsp.PROGRESS)
        def progress(params):
            self.progress.append(params)
            self.news.set()

        for method in [
            lsp.WINDOW_WORK_DONE_PROGRESS_CREATE,
            lsp.WORKSPACE_CODE_LENS_REFRESH,
            lsp.WORKSPACE_INLAY_HINT_REFRESH,
        ]:
            self.client.feature(method)(self.note(method))

    def note(self, method):
        def noted(*_):
            self.requests.append(method)
            self.news.set()

        return noted

    async def start(self, *arguments, root=ROOT):
        await self.client.start_io(SERVER, "lsp", *arguments)
        refresh = lsp.CodeLensWorkspaceClientCapabilities(refresh_support=True)
        hints = lsp.InlayHintWorkspaceClientCapabilities(refresh_support=True)
        self.capabilities = await self.client.initialize_async(
            lsp.InitializeParams(
                capabilities=lsp.ClientCapabilities(
                    window=lsp.WindowClientCapabilities(work_done_progress=True),
                    workspace=lsp.WorkspaceClientCapabilities(code_lens=refresh, inlay_hint=hints),
                ),
                workspace_folders=[lsp.WorkspaceFolder(uri=Path(root).as_uri(), name="root")],
            )
        )
        self.client.initialized(lsp.InitializedParams())
        return self

    async def stop(self):
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()

    def open(self, name, text):
        uri = (ROOT / name).as_uri()
        self.versions[uri] = 1
        item = lsp.TextDocumentItem(uri=uri, language_id="rcheck", version=1, text=text)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(text_document=item))
        return uri

    def change(self, uri, *changes):
        """Each change is a new text, or a range (four numbers) with the text in its place."""
        self.versions[uri] += 1
        events = []
        for change in changes:
            if isinstance(change, str):
                events.append(lsp.TextDocumentContentChangeWholeDocument(text=change))
            else:
                *place, text = change
                events.append(lsp.TextDocumentContentChangePartial(range=range_of(*place), text=text))
        identifier = lsp.VersionedTextDocumentIdentifier(uri=uri, version=self.versions[uri])
        params = lsp.DidChangeTextDocumentParams(text_document=identifier, content_changes=events)
        self.client.text_document_did_change(params)

    async def until(self, holds):
        """Waits for what the server says until something holds."""
        while not holds():
            self.news.clear()
            await self.news.wait()

    async def found(self, uri):
        """The diagnostics of the present version."""
        await self.until(lambda: uri in self.diagnostics and self.diagnostics[uri].version == self.versions[uri])
        return self.diagnostics[uri].diagnostics

    async def codes(self, uri):
        return [diagnostic.code for diagnostic in await self.found(uri)]

    async def command(self, name, uri, **more):
        params = lsp.ExecuteCommandParams(command="rcheck-smt." + name, arguments=[{"uri": uri, **more}])
        return await self.client.workspace_execute_command_async(params)


class Raw:
    """A running server that is sent whatever one likes; messages are those of the protocol, written by hand."""

    def __init__(self, *, begins=True, **more):
        self.server = subprocess.Popen([SERVER, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.last = 0
        self.answers = set()
        if begins:
            params = {"processId": None, "rootUri": None, "capabilities": {}, **more}
            self.capabilities = self.ask("initialize", params)["result"]["capabilities"]
            self.notify("initialized", {})

    def send(self, message):
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def write(self, body):
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.server.stdin.flush()

    def receive(self):
        length = 0
        while line := self.server.stdout.readline().strip():
            name, value = line.split(b":")
            length = int(value) if name.lower() == b"content-length" else length
        said = json.loads(self.server.stdout.read(length))
        if "method" not in said:
            self.answers.add(said["id"])
        return said

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def ask(self, method, params):
        """The answer, whatever else the server says before it."""
        self.last += 1
        self.send({"id": self.last, "method": method, "params": params})
        return self.until(lambda said: said.get("id") == self.last and "method" not in said)

    def until(self, holds):
        """The first of what the server says of which something holds."""
        while not holds(said := self.receive()):
            pass
        return said

    def end(self):
        self.ask("shutdown", None)
        self.notify("exit", None)
        assert self.left() == 0, self.server.returncode

    def left(self):
        """The exit code."""
        self.server.stdout.read()
        return self.server.wait()


def range_of(line, character, end_line, end_character):
    return lsp.Range(start=lsp.Position(line, character), end=lsp.Position(end_line, end_character))


def at(uri, text, word, *, occurrence=1, behind=0):
    """The place of a word in a text, as parameters of requests: lines from 0, columns in units of UTF-16."""
    offset = -1
    for _ in range(occurrence):
        offset = text.index(word, offset + 1)
    before = text[: offset + behind]
    line = before.count("\n")
    column = before[before.rfind("\n") + 1 :]
    position = lsp.Position(line, len(column.encode("utf-16-le")) // 2)
    return {"text_document": lsp.TextDocumentIdentifier(uri=uri), "position": position}


def text_of(text, place):
    """The text of a range."""
    lines = text.split("\n")

    def offset(position):
        before = sum(len(line) + 1 for line in lines[: position.line])
        units = lines[position.line].encode("utf-16-le")[: 2 * position.character]
        return before + len(units.decode("utf-16-le"))

    return text[offset(place.start) : offset(place.end)]


def edited(text, edits):
    """The text with edits, from the last to the first."""
    lines = text.split("\n")

    def offset(position):
        before = sum(len(line) + 1 for line in lines[: position.line])
        return before + len(lines[position.line].encode("utf-16-le")[: 2 * position.character].decode("utf-16-le"))

    placed = [(offset(edit.range.start), offset(edit.range.end), number, edit.new_text) for number, edit in enumerate(edits)]
    for start, end, _, new in sorted(placed, reverse=True):
        text = text[:start] + new + text[end:]
    return text
