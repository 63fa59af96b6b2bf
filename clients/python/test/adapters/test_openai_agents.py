import asyncio
import io
import json
import unittest
from pathlib import Path

from agents import Agent, RunConfig, Runner, set_tracing_disabled
from agents.sandbox import SandboxAgent, SandboxRunConfig
from agents.sandbox.entries import File
from agents.sandbox.errors import ExecTimeoutError, WorkspaceReadNotFoundError
from agents.sandbox.manifest import Manifest
from agents.testing import ScriptedModel, assistant_message, function_call
from openai.types.responses import ResponseFunctionShellToolCall

from holdfast import AsyncHoldfast
from holdfast.errors import HoldfastError
from holdfast.openai_agents import HoldfastSandboxClient, HoldfastSandboxOptions, code_interpreter, session_tools, shell

set_tracing_disabled(True)


class InSession(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.holdfast = AsyncHoldfast()
        self.session = await self.holdfast.sessions.create()

    async def asyncTearDown(self):
        await self.session.delete()
        await self.holdfast.aclose()

    async def run_agent(self, tools, *turns):
        """An agent whose model says the turns, each of them calls or the last text. Gives the answers of the tools."""
        agent = Agent("Tester", tools=tools, model=ScriptedModel(list(turns) + [[assistant_message("done")]]))
        result = await Runner.run(agent, "Go on.")
        self.assertEqual(result.final_output, "done")
        return [item.output for item in result.new_items if item.type == "tool_call_output_item"]

    async def call(self, tool, **arguments):
        (answer,) = await self.run_agent([tool], [function_call(tool.name, arguments, call_id="call_1")])
        return answer


class Tools(InSession):
    async def test_an_agent_works_in_a_session(self):
        answers = await self.run_agent(
            session_tools(self.session),
            [function_call("write_file", {"path": "n.txt", "content": "41"}, call_id="1")],
            [function_call("run_code", {"code": "n = int(open('n.txt').read())"}, call_id="2")],
            [function_call("run_code", {"code": "n + 1"}, call_id="3"), function_call("list_files", {}, call_id="4")],
            [function_call("run_command", {"command": "cat n.txt; exit 3"}, call_id="5")],
            [function_call("read_file", {"path": "n.txt"}, call_id="6"), function_call("read_file", {"path": "missing"}, call_id="7")],
        )
        self.assertEqual(answers[:6], ["Wrote n.txt.", "(no output)", "42", "n.txt", "41\n[exit code 3]", "41"])
        self.assertIn("not-found", answers[6])

    async def test_a_code_interpreter_shows_errors_and_images(self):
        tool = code_interpreter(self.session)
        self.assertIn("ZeroDivisionError", await self.call(tool, code="1 / 0"))
        self.assertIn("its time was over", await self.call(tool, code="import time; time.sleep(60)", timeout_seconds=1))
        self.assertLess(len(await self.call(tool, code="print('x' * 3_000_000)")), 21_000)
        text, image = await self.call(tool, code="class Dot:\n    def _repr_png_(self): return b'\\x89PNG'\nDot()")
        self.assertEqual(image.image_url, "data:image/png;base64,iVBORw==")

    async def test_arguments_that_are_wrong_are_told_to_the_model(self):
        tool = code_interpreter(self.session)
        for arguments in ("not json", "[]", '{"source": "1"}', '{"code": 1}'):
            (answer,) = await self.run_agent([tool], [function_call("run_code", arguments, call_id="1")])
            self.assertIsInstance(answer, str)
        self.assertEqual([step async for step in self.session.steps.list()], [])

    async def test_cancelling_a_run_stops_its_code(self):
        await self.session.run("import time")
        turn = [function_call("run_code", {"code": "time.sleep(60)"}, call_id="1")]
        task = asyncio.ensure_future(self.run_agent([code_interpreter(self.session)], turn))
        while not [step async for step in self.session.steps.list() if step.status == "running"]:
            await asyncio.sleep(0.05)
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        newest = [step async for step in self.session.steps.list(order="desc")][0]
        self.assertEqual((await self.session.steps.wait(newest.id)).status, "interrupted")

    async def test_a_shell_runs_commands_one_after_the_other(self):
        action = {"commands": ["echo $((6 * 7)); echo err >&2; exit 3", "echo begun; sleep 60"], "timeout_ms": 1000}
        shell_call = ResponseFunctionShellToolCall(id="s", call_id="s", type="shell_call", status="completed", action=action)
        (answer,) = await self.run_agent([shell(self.session)], [shell_call])
        self.assertRegex(answer, r"(?s)42.*err.*begun")

    async def test_calls_run_in_parallel(self):
        turn = [function_call("run_command", {"command": f"sleep 0.2; echo {at}"}, call_id=str(at)) for at in range(8)]
        answers = await self.run_agent(session_tools(self.session), turn)
        self.assertEqual(answers, [f"{at}\n[exit code 0]" for at in range(8)])


class Sandboxes(InSession):
    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.client = HoldfastSandboxClient(self.holdfast)

    async def test_an_agent_works_in_a_sandbox_with_the_files_of_its_manifest(self):
        turns = [
            [function_call("exec_command", {"cmd": "cat task.md; echo done > result.txt; exit 3"}, call_id="1")],
            [assistant_message("Finished.")],
        ]
        manifest = Manifest(entries={"task.md": File(content=b"Write the result.\n")})
        agent = SandboxAgent(name="Engineer", model=ScriptedModel(turns), default_manifest=manifest)
        config = RunConfig(sandbox=SandboxRunConfig(client=self.client))
        result = await Runner.run(agent, "Do the task.", run_config=config)
        self.assertEqual(result.final_output, "Finished.")
        (answer,) = [item.output for item in result.new_items if item.type == "tool_call_output_item"]
        self.assertIn("Write the result.", answer)
        self.assertIn("3", answer)

    async def test_commands_and_files(self):
        sandbox = await self.client.create()
        async with sandbox:
            done = await sandbox.exec("echo out; echo err >&2; exit 3")
            self.assertEqual((done.stdout, done.stderr, done.exit_code), (b"out\n", b"err\n", 3))
            self.assertEqual((await sandbox.exec("no-such-program", shell=False)).exit_code, 127)
            with self.assertRaises(ExecTimeoutError):
                await sandbox.exec("sleep 60", timeout=1)
            done = await sandbox.exec("head -c 3000000 /dev/zero | tr '\\0' x")
            self.assertEqual(done.stdout, b"x" * 3_000_000)
            content = bytes(range(256)) * 4096
            await sandbox.write(Path("deep/a.bin"), io.BytesIO(content))
            self.assertEqual((await sandbox.read(Path("deep/a.bin"))).read(), content)
            self.assertIn("a.bin", [Path(entry.path).name for entry in await sandbox.ls("deep")])
            with self.assertRaises(WorkspaceReadNotFoundError):
                await sandbox.read(Path("missing"))
            await sandbox.rm("deep/a.bin")
            answers = await asyncio.gather(*(sandbox.exec(f"sleep 0.2; echo {at}") for at in range(8)))
            self.assertEqual([answer.stdout for answer in answers], [b"%d\n" % at for at in range(8)])
            session_id = sandbox._inner.session.id
        await self.client.delete(sandbox)
        with self.assertRaises(HoldfastError):
            await (await self.holdfast.sessions.get(session_id)).run("1")

    async def test_a_cancelled_command_is_killed(self):
        sandbox = await self.client.create()
        task = asyncio.ensure_future(sandbox.exec("sleep", "60", shell=False))
        session = sandbox._inner.session
        while not [one async for one in session.processes.list(status="running")]:
            await asyncio.sleep(0.05)
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        while [one async for one in session.processes.list(status="running")]:
            await asyncio.sleep(0.05)
        await self.client.delete(sandbox)

    async def test_a_sandbox_is_opened_again_with_its_files(self):
        options = HoldfastSandboxOptions(session={"metadata": {"of": "sandbox"}})
        sandbox = await self.client.create(options=options)
        await sandbox.start()
        await sandbox.write(Path("kept.txt"), io.BytesIO(b"kept"))
        document = json.loads(json.dumps(self.client.serialize_session_state(sandbox.state)))
        session = sandbox._inner.session
        self.assertEqual(session.record.metadata, {"of": "sandbox"})
        await session.pause()
        again = await self.client.resume(self.client.deserialize_session_state(document))
        await again.start()
        self.assertEqual((await again.read(Path("kept.txt"))).read(), b"kept")
        archive = await again.persist_workspace()
        self.addCleanup(archive.close)
        await self.client.delete(again)
        other = await self.client.resume(self.client.deserialize_session_state(document))
        await other.start()
        self.assertNotEqual(other._inner.session.id, session.id)
        await other.hydrate_workspace(archive)
        self.assertEqual((await other.read(Path("kept.txt"))).read(), b"kept")
        await self.client.delete(other)
