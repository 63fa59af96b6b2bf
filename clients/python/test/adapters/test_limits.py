"""Calls of models and of programs that go wrong, with a session that needs no server."""

import asyncio
import json
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
from agents.sandbox.errors import WorkspaceArchiveReadError
from agents.sandbox.manifest import Manifest

from holdfast import AsyncHoldfast, Holdfast
from holdfast._async.session_tools import AsyncSessionTools
from holdfast._decode import decode_object, encode
from holdfast._tool_answers import IMAGE_CHARACTERS, answer_of_step
from holdfast.codebox import CodeBox
from holdfast.deepagents import HoldfastSandbox
from holdfast.models import Budget, PolicyRules, Result, Step, WorldRules
from holdfast.openai_agents import HoldfastSandboxClient, HoldfastSandboxOptions

PROCESS = {"id": "prc_1", "sessionId": "ses_1", "status": "running", "stdout": "", "stderr": "", "truncated": False}


class Endless(httpx.SyncByteStream, httpx.AsyncByteStream):
    """Bytes without an end, and how many of them were taken."""

    def __init__(self, taken):
        self.taken = taken
        taken.append(0)
        self.at = len(taken) - 1

    def __iter__(self):
        while True:
            self.taken[self.at] += 65_536
            yield b"x" * 65_536

    async def __aiter__(self):
        for piece in self:
            yield piece


class Service:
    """Answers as a server does whose commands never end by themselves."""

    def __init__(self):
        self.requests, self.killed, self.waited = [], threading.Event(), threading.Event()
        self.ended, self.truncated, self.given = False, False, []

    def __call__(self, request):
        path = request.url.path
        self.requests.append((request.method, path, json.loads(request.content) if request.content[:1] == b"{" else None))
        if path.endswith("/signal"):
            self.killed.set()
            return httpx.Response(204)
        if request.method == "POST" and path == "/v1/sessions":
            return httpx.Response(201, json={"id": f"ses_{self.made + 1}", "status": "active", "endedAt": None})
        if path.endswith("/processes"):
            ended = {"status": "exited", "exitCode": 0} if self.ended else {}
            return httpx.Response(201, json={**PROCESS, "stdout": "/work\n", "truncated": self.truncated, **ended})
        if "/files/" in path or "/output/" in path:
            return httpx.Response(200, stream=Endless(self.given), headers={"Holdfast-Offset": "0"})
        if path.endswith("/events"):
            event = {"type": "stdout", "seq": 1, "processId": "prc_1", "sessionId": "ses_1", "text": "y\n"}
            return httpx.Response(200, content=f"data: {json.dumps(event)}\n\n".encode())
        if "/processes/" in path:
            self.waited.set()
            self.killed.wait(30)
            return httpx.Response(200, json={**PROCESS, "status": "signalled", "signal": "SIGKILL", "truncated": self.truncated})
        if request.method == "DELETE" or self.ended:
            return httpx.Response(410, json={"code": "session-ended", "title": "The session has ended"})
        return httpx.Response(200, json={"id": "ses_1", "status": "active", "endedAt": None})

    @property
    def made(self):
        return len([path for method, path, _ in self.requests if (method, path) == ("POST", "/v1/sessions")])

    def client(self):
        return Holdfast("http://service", client=httpx.Client(transport=httpx.MockTransport(self)))

    def asynchronous(self):
        return AsyncHoldfast("http://service", client=httpx.AsyncClient(transport=httpx.MockTransport(self)))


class Limits(unittest.TestCase):
    def test_a_cancelled_command_is_killed_while_every_thread_of_the_loop_waits_for_commands(self):
        service = Service()
        sandbox = HoldfastSandbox(service.client().sessions.create())

        async def work():
            asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
            task = asyncio.ensure_future(sandbox.aexecute("sleep 60"))
            while not service.waited.is_set():
                await asyncio.sleep(0.01)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await asyncio.wait_for(task, 20)

        asyncio.run(work())
        self.assertTrue(service.killed.is_set())

    def test_a_path_that_no_encoding_takes_is_an_answer_and_no_exception(self):
        sandbox = HoldfastSandbox(Service().client().sessions.create())
        self.assertEqual([one.error for one in sandbox.upload_files([("/a\ud800", b""), ("relative", b"")])], ["invalid_path"] * 2)

    def test_arguments_of_a_wrong_type_are_told_to_the_model(self):
        service = Service()

        async def work():
            tools = AsyncSessionTools(await service.asynchronous().sessions.create(), 1000)
            return [
                await tools.call(name, arguments)
                for name, arguments in (
                    ("read_file", {"path": ["a"]}),
                    ("write_file", {"path": "a", "content": {"b": 1}}),
                    ("run_command", {"command": "true", "timeout_seconds": "1"}),
                    ("list_files", {"path": "\ud800"}),
                    ("run_code", {"source": "1"}),
                )
            ]

        answers = asyncio.run(work())
        self.assertEqual([answer.is_error for answer in answers], [True] * 5)
        self.assertEqual(answers[1].text, "The argument content of write_file must be a string.")
        self.assertEqual(len(service.requests), 1)

    def test_a_command_for_which_the_model_asks_for_no_time_has_five_minutes(self):
        service = Service()
        service.ended = True

        async def work():
            return await AsyncSessionTools(await service.asynchronous().sessions.create(), 1000).call("run_command", {"command": "true"})

        self.assertEqual(asyncio.run(work()).text, "/work\n[exit code 0]")
        self.assertEqual(service.requests[-1][2]["timeoutSeconds"], 300)

    def test_a_file_or_an_output_without_an_end_is_read_to_its_limit_only(self):
        service = Service()
        sandbox = HoldfastSandbox(service.client().sessions.create(), file_bytes=100_000, output_bytes=100_000)
        (downloaded,) = sandbox.download_files(["/endless"])
        self.assertIsNone(downloaded.content)
        self.assertIn("100000 bytes", downloaded.error)
        service.killed.set()
        service.truncated = True
        executed = sandbox.execute("yes")
        self.assertEqual((executed.output.count("x"), executed.truncated), (100_000, True))

        service.ended = True

        async def work():
            client = HoldfastSandboxClient(service.asynchronous(), file_bytes=100_000)
            sandbox = (await client.create(manifest=Manifest()))._inner
            with self.assertRaises(WorkspaceArchiveReadError):
                await sandbox.read(Path("endless"))
            executed = await sandbox._exec_internal("yes")
            self.assertEqual(executed.stdout.count(b"x"), 8 * 1024 * 1024)
            tools = AsyncSessionTools(sandbox.session, 1000)
            return await tools.call("read_file", {"path": "endless"})

        answer = asyncio.run(work())
        self.assertTrue(answer.text.endswith("the rest of the file is left out …]"))
        self.assertLess(max(service.given), 9 * 1024 * 1024)

    def test_images_that_are_too_large_or_too_many_are_left_out(self):
        def step_with(*images):
            results = [Result(data={"image/png": image}, metadata={}, is_main=False) for image in images]
            return decode_object(Step, {"stdout": "", "stderr": "", "status": "succeeded", "results": encode(results)})

        answer = answer_of_step(step_with("a", "x" * (IMAGE_CHARACTERS + 1), "b"), 1000)
        self.assertEqual([content for _, content in answer.images], ["a", "b"])
        self.assertIn("1 of 3 images", answer.text)
        self.assertEqual(answer_of_step(step_with("a"), 1000).text, "(no text, but images)")
        answer = answer_of_step(step_with(*"a" * 30), 1000)
        self.assertEqual((len(answer.images), "10 of 30 images" in answer.text), (20, True))

    def test_the_session_that_replaces_an_ended_one_has_its_policy_and_no_secret_is_in_the_state(self):
        service = Service()
        policy = PolicyRules(world=WorldRules(read_only=True))
        wanted = {"policy": policy, "network": "none", "budget": Budget(iterations=3), "env": {"TOKEN": "secret"}}

        async def work():
            service.ended = True
            client = HoldfastSandboxClient(service.asynchronous())
            sandbox = await client.create(manifest=Manifest(), options=HoldfastSandboxOptions(session=wanted))
            document = json.dumps(client.serialize_session_state(sandbox.state))
            await client.resume(client.deserialize_session_state(json.loads(document)))
            return document

        self.assertNotIn("secret", asyncio.run(work()))
        first, second = [body for method, path, body in service.requests if path == "/v1/sessions"]
        self.assertEqual(first.pop("env"), {"TOKEN": "secret"})
        self.assertEqual(second, first)
        self.assertEqual(second["policy"], {"world": {"readOnly": True}})


class Boxes(unittest.TestCase):
    def setUp(self):
        self.service = Service()
        transport = httpx.MockTransport(self.service)
        self.addCleanup(setattr, httpx, "Client", httpx.Client)
        self.addCleanup(setattr, httpx, "AsyncClient", httpx.AsyncClient)
        synchronous, asynchronous = httpx.Client, httpx.AsyncClient
        httpx.Client = lambda **options: synchronous(transport=transport, **options)
        httpx.AsyncClient = lambda **options: asynchronous(transport=transport, **options)

    def test_calls_at_the_same_time_share_one_session(self):
        async def work():
            box = CodeBox(url="http://service")
            await asyncio.gather(*(box.asession() for _ in range(5)))
            return await box.astop()

        self.assertEqual(asyncio.run(work()), "stopped")
        self.assertEqual(self.service.made, 1)

    def test_a_box_that_was_stopped_makes_no_session_for_its_status(self):
        box = CodeBox(url="http://service")
        box.start()
        self.assertEqual(box.stop(), "stopped")
        self.assertEqual(box.status(), "stopped")
        self.assertEqual(self.service.made, 1)

    def test_output_that_is_not_read_on_ends_its_command(self):
        box = CodeBox(url="http://service")
        pieces = box.stream_exec("yes", kernel="bash")
        self.assertEqual(next(pieces).content, "y\n")
        pieces.close()
        self.assertTrue(self.service.killed.is_set())


if __name__ == "__main__":
    unittest.main()
