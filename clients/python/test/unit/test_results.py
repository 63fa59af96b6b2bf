import contextlib
import http.server
import json
import os
import tempfile
import threading
import unittest
from unittest import mock

import httpx

from holdfast import AsyncHoldfast, Holdfast, Retries
from holdfast._decode import decode_object
from holdfast._sync.session_tools import SessionTools
from holdfast._sync.steps import Steps
from holdfast.errors import ConnectionFailed, NotFound, OperationError
from holdfast.models import OperationRequestEvent

SESSION = {"id": "ses_1", "status": "active"}
CALL = {
    "id": "opr_1", "type": "operation_request", "seq": 1, "stepId": "stp_1", "sessionId": "ses_1", "operationId": "opr_1", "name": "f",
    "arguments": [],
}  # fmt: skip


def client_of(answer, **options):
    http = httpx.Client(transport=httpx.MockTransport(answer), base_url="http://holdfast.test")
    return Holdfast(client=http, retries=Retries(first_seconds=0), **options)


class Results(unittest.TestCase):
    def test_a_download_that_fails_leaves_the_file_that_was_there(self):
        class Broken(httpx.SyncByteStream):
            def __iter__(self):
                yield b"half"
                raise httpx.ReadError("gone")

        missing, whole = httpx.Response(404, json={"code": "not-found"}), httpx.Response(200, stream=httpx.ByteStream(b"new"))
        contents = [missing, httpx.Response(200, stream=Broken()), whole]

        def answer(request):
            return contents.pop(0) if "/files/" in request.url.path else httpx.Response(200, json=SESSION)

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "result.csv")
            with open(path, "w") as file:
                file.write("old")
            session = client_of(answer).sessions.get("ses_1")
            for expected in (NotFound, ConnectionFailed):
                with self.assertRaises(expected):
                    session.files.download("result.csv", path)
                with open(path) as file:
                    self.assertEqual(file.read(), "old")
            session.files.download("result.csv", path)
            with open(path) as file:
                self.assertEqual(file.read(), "new")
            self.assertEqual(os.listdir(folder), ["result.csv"])

    def test_a_file_of_which_nothing_came_is_asked_for_again(self):
        class Broken(httpx.SyncByteStream):
            def __iter__(self):
                raise httpx.ReadError("gone")
                yield b""

        contents = [httpx.Response(200, stream=Broken()), httpx.Response(200, stream=httpx.ByteStream(b"whole"))]
        holdfast = client_of(lambda request: contents.pop(0) if "/files/" in request.url.path else httpx.Response(200, json=SESSION))
        self.assertEqual(holdfast.sessions.get("ses_1").files.read("a"), b"whole")

    def test_a_session_that_is_deleted_inside_its_with_is_no_error_at_the_end(self):
        answers = [httpx.Response(201, json=SESSION), httpx.Response(204), httpx.Response(404, json={"code": "not-found"})]
        with client_of(lambda request: answers.pop(0)).sessions.create() as session:
            session.delete()
        self.assertEqual(answers, [])

    def test_a_session_that_was_only_opened_stays(self):
        answers = [httpx.Response(200, json=SESSION), httpx.Response(200, json=SESSION)]
        holdfast = client_of(lambda request: answers.pop(0))
        for open_one in (lambda: holdfast.sessions.get("ses_1"), lambda: holdfast.sessions.create(client_key="notebook")):
            with open_one() as session:
                self.assertEqual(session.id, "ses_1")
        self.assertEqual(answers, [])

    def test_output_tells_whether_a_part_of_it_is_missing(self):
        process = {"id": "prc_1", "sessionId": "ses_1", "status": "exited"}
        step = {"id": "stp_1", "truncated": True, "finishedAt": "2026-01-01T00:00:00Z", "stdout": "a"}
        heads = [{"Holdfast-Offset": "0"}, {"Holdfast-Offset": "7"}, {"Holdfast-Output": "whole"}, {"Holdfast-Output": "beginning"}]

        def answer(request):
            if "/output/" in request.url.path:
                return httpx.Response(200, stream=httpx.ByteStream(b"a"), headers=heads.pop(0))
            return httpx.Response(200, json=process if "/processes/" in request.url.path else step if "/steps/" in request.url.path else SESSION)

        session = client_of(answer).sessions.get("ses_1")
        found = []
        for output in [session.processes.get("prc_1").output() for _ in range(2)] + [session.steps.output("stp_1") for _ in range(2)]:
            self.assertIsNone(output.truncated)
            self.assertEqual(b"".join(output), b"a")
            found.append(output.truncated)
        self.assertEqual(found, [False, True, False, True])

    def test_a_listing_tells_whether_entries_are_missing_and_so_does_the_tool_of_a_model(self):
        lists = [{"items": [{"path": "a", "kind": "file", "size": 1}], "truncated": truncated} for truncated in (False, True, True)]
        holdfast = client_of(lambda request: httpx.Response(200, json=lists.pop(0) if "/files" in request.url.path else SESSION))
        session = holdfast.sessions.get("ses_1")
        found = [session.files.list() for _ in range(2)]
        self.assertEqual([([one.path for one in entries], entries.truncated) for entries in found], [(["a"], False), (["a"], True)])
        self.assertEqual(SessionTools(session, 100).call("list_files", {}).text, "a\n[… some files are left out …]")

    def test_an_answer_that_cannot_be_given_is_raised_in_the_code_that_called(self):
        sent = []

        def answer(request):
            if request.method == "GET":
                return httpx.Response(200, json=SESSION)
            body = json.loads(request.content)
            if body.get("value") == "large":
                return httpx.Response(413, json={"code": "payload-too-large"})
            sent.append(body["error"])
            return httpx.Response(200, json={"id": "opr_1"})

        def fail():
            raise KeyError("secret")

        def refuse():
            raise OperationError("x" * 100_000, name="y" * 100)

        session = client_of(answer).sessions.get("ses_1")
        circle = []
        circle.append(circle)
        for function in (object, lambda: float("nan"), lambda: "large", lambda: circle, fail):
            session.on_operation("f", function)
            with self.assertLogs("holdfast"):
                self.assertTrue(session.operations.serve(decode_object(OperationRequestEvent, CALL)))
        self.assertEqual([error.get("name") for error in sent], [*["TypeError"] * 4, None])
        self.assertNotIn("secret", json.dumps(sent))

        session.on_operation("f", refuse)
        self.assertTrue(session.operations.serve(decode_object(OperationRequestEvent, CALL)))
        self.assertEqual((len(sent[-1]["message"]), len(sent[-1]["name"])), (32_768, 64))


class AsyncResults(unittest.IsolatedAsyncioTestCase):
    async def test_an_asynchronous_function_gets_every_event(self):
        finished = {"type": "finished", "seq": 1, "stepId": "stp_1", "sessionId": "ses_1", "step": {"id": "stp_1", "status": "succeeded"}}

        def answer(request):
            if request.method == "GET":
                return httpx.Response(200, json=SESSION)
            return httpx.Response(200, content=f"data: {json.dumps(finished)}\n\n".encode())

        kinds = []

        async def note(event):
            kinds.append(event.type)

        async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as client:
            session = await AsyncHoldfast(client=client).sessions.get("ses_1")
            self.assertTrue((await session.run("1", on_event=note)).ok)
        self.assertEqual(kinds, ["finished"])


class Connecting(unittest.TestCase):
    def test_a_forked_process_does_not_use_the_connections_of_its_parent(self):
        made, make = [], httpx.Client

        def note(**options):
            answer = lambda request, at=len(made): httpx.Response(200, json={"profile": f"of client {at}"})
            made.append(make(transport=httpx.MockTransport(answer), **options))
            return made[-1]

        with mock.patch("httpx.Client", note):
            holdfast = Holdfast("http://holdfast.test")
            self.assertEqual([holdfast.languages().profile for _ in range(2)], ["of client 0"] * 2)
            with mock.patch("os.getpid", lambda: 1):
                self.assertEqual([holdfast.languages().profile for _ in range(2)], ["of client 1"] * 2)
        self.assertFalse(made[0].is_closed)

    def test_a_line_end_behind_a_key_is_left_out_and_no_error_shows_a_key(self):
        self.assertEqual(self.sent_by(api_key="hfk_secret\n").headers["Authorization"], "Bearer hfk_secret")
        for key in ("hfk_\nsecret", "hfk_sécret"):
            with self.assertRaises(ValueError) as caught:
                Holdfast(api_key=key)
            self.assertNotIn("cret", str(caught.exception))

    def test_calls_do_not_wait_for_streams_however_many_are_open(self):
        over = threading.Event()

        class Answers(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.end_headers()
                if "/events" not in self.path:
                    self.wfile.write(b'{"profile": "default"}')
                    return
                event = {"type": "ready", "cursor": "c", "seq": 1, "stepId": "stp_1", "sessionId": "ses_1"}
                self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
                over.wait(60)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            request_queue_size = 200

        with Server(("127.0.0.1", 0), Answers) as server, contextlib.ExitStack() as streams:
            threading.Thread(target=server.serve_forever).start()
            streams.callback(server.shutdown)
            streams.callback(over.set)
            holdfast = streams.enter_context(Holdfast(f"http://127.0.0.1:{server.server_port}", retries=Retries(limit=0)))
            for _ in range(101):
                events = Steps(holdfast._transport, "ses_1").follow("stp_1")
                next(streams.enter_context(events))
            self.assertEqual(holdfast.languages().profile, "default")

    def test_a_url_without_a_scheme_is_refused_at_once(self):
        for url in ("localhost:8080", "ftp://holdfast.test", "/v1"):
            with self.assertRaises(ValueError):
                Holdfast(url)

    def test_a_client_of_the_caller_gets_the_url_and_the_key(self):
        sent = self.sent_by("http://holdfast.test/base/", api_key="hfk_1")
        self.assertEqual((str(sent.url), sent.headers["Authorization"]), ("http://holdfast.test/base/v1/languages", "Bearer hfk_1"))
        sent = self.sent_by(base_url="http://holdfast.test/other", headers={"Authorization": "Bearer own"})
        self.assertEqual((str(sent.url), sent.headers["Authorization"]), ("http://holdfast.test/other/v1/languages", "Bearer own"))

    @mock.patch.dict(os.environ, {"HOLDFAST_URL": "http://environment.test", "HOLDFAST_API_KEY": "hfk_environment"})
    def sent_by(self, url=None, *, api_key=None, **options):
        sent = []

        def answer(request):
            sent.append(request)
            return httpx.Response(200, json={})

        with httpx.Client(transport=httpx.MockTransport(answer), **options) as client:
            Holdfast(url, api_key=api_key, client=client).languages()
        return sent[0]
