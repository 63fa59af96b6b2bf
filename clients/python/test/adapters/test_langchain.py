import asyncio
import unittest

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolCall, ToolMessage

from holdfast import AsyncHoldfast, Holdfast
from holdfast.errors import HoldfastError
from holdfast.langchain import session_tools


class ScriptedModel(GenericFakeChatModel):
    """Says its messages one after the other, whatever it is asked."""

    def bind_tools(self, tools, **_):
        return self


def model(*turns):
    """Each turn is calls of tools, or the last text."""
    messages = [turn if isinstance(turn, AIMessage) else AIMessage(content=turn) for turn in turns]
    return ScriptedModel(messages=iter(messages))


def calls(*named):
    return AIMessage(content="", tool_calls=[ToolCall(name=name, args=args, id=f"call_{at}") for at, (name, args) in enumerate(named)])


def call(name, **arguments):
    return ToolCall(name=name, args=arguments, id="call", type="tool_call")


class Agents(unittest.TestCase):
    def test_an_agent_works_in_a_session(self):
        scripted = model(
            calls(("write_file", {"path": "data.csv", "content": "a,b\n1,2\n3,4\n"})),
            calls(("run_code", {"code": "rows = open('data.csv').read().split()"})),
            calls(("run_code", {"code": "len(rows)"}), ("run_command", {"command": "wc -l < data.csv; exit 2"})),
            calls(("list_files", {}), ("read_file", {"path": "data.csv"})),
            "There are two rows.",
        )
        with Holdfast() as holdfast, holdfast.sessions.create() as session:
            agent = create_agent(scripted, session_tools(session))
            messages = agent.invoke({"messages": [{"role": "user", "content": "How many rows?"}]})["messages"]
        answers = [message.content for message in messages if isinstance(message, ToolMessage)]
        self.assertEqual(answers, ["Wrote data.csv.", "(no output)", "3", "3\n[exit code 2]", "data.csv", "a,b\n1,2\n3,4\n"])
        self.assertEqual(messages[-1].content, "There are two rows.")

    def test_an_asynchronous_agent_works_in_a_session(self):
        async def work():
            async with AsyncHoldfast() as holdfast, await holdfast.sessions.create() as session:
                agent = create_agent(model(calls(("run_code", {"code": "6 * 7"})), "42"), session_tools(session))
                return (await agent.ainvoke({"messages": [{"role": "user", "content": "?"}]}))["messages"]

        self.assertEqual([message.content for message in asyncio.run(work())][-2:], ["42", "42"])


class Tools(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.holdfast = AsyncHoldfast()
        self.session = await self.holdfast.sessions.create()
        self.tools = {tool.name: tool for tool in session_tools(self.session, output_characters=1000)}

    async def asyncTearDown(self):
        await self.session.delete()
        await self.holdfast.aclose()

    async def message(self, name, **arguments):
        return await self.tools[name].ainvoke(call(name, **arguments))

    async def test_code_and_commands_that_fail_are_answers(self):
        message = await self.message("run_code", code="print('before')\n1 / 0")
        self.assertEqual(message.status, "success")
        self.assertRegex(message.content, r"(?s)^before\n.*ZeroDivisionError")
        self.assertEqual(message.artifact.status, "failed")
        message = await self.message("run_command", command="echo out; echo err >&2; exit 3")
        self.assertEqual((message.content, message.artifact.exit_code), ("out\nerr\n[exit code 3]", 3))

    async def test_code_without_a_language_runs_in_that_of_the_session(self):
        async with await self.holdfast.sessions.create(language="node") as session:
            tool = session_tools(session)[0]
            self.assertEqual((await tool.ainvoke(call("run_code", code="[1, 2].map((n) => n * 2).join()"))).content, "'2,4'")
            self.assertEqual((await tool.ainvoke(call("run_code", code="6 * 7", language="python"))).content, "42")

    async def test_a_timeout_stops_code_and_commands(self):
        message = await self.message("run_code", code="import time\ntime.sleep(60)", timeout_seconds=1)
        self.assertIn("was stopped, because its time was over", message.content)
        message = await self.message("run_command", command="sleep 60", timeout_seconds=1)
        self.assertIn("was stopped, because its time was over", message.content)

    async def test_a_call_that_is_cancelled_stops_its_code(self):
        await self.session.run("import time")
        for name, arguments in (("run_code", {"code": "time.sleep(60)"}), ("run_command", {"command": "sleep 60"})):
            task = asyncio.ensure_future(self.message(name, **arguments))
            while not await self.running(name):
                await asyncio.sleep(0.05)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            while await self.running(name):
                await asyncio.sleep(0.05)
        newest = [step async for step in self.session.steps.list(order="desc")][0]
        self.assertEqual(newest.status, "interrupted")
        self.assertEqual((await self.session.run("1")).text, "1")

    async def running(self, name):
        if name == "run_command":
            return [process async for process in self.session.processes.list(status="running")]
        return [step async for step in self.session.steps.list() if step.status == "running"]

    async def test_large_output_is_cut_in_the_middle(self):
        content = (await self.message("run_code", code="print('a' * 100_000 + 'z')")).content
        self.assertRegex(content, r"^a{500}\n\[… \d+ characters are left out …\]\na{499}z$")
        content = (await self.message("run_command", command="head -c 3000000 /dev/zero | tr '\\0' x; echo end")).content
        self.assertRegex(content, r"(?s)^x{500}\n.*xend\n.*\[exit code 0\]$")
        await self.session.files.write("long.txt", "é" * 5000)
        self.assertEqual((await self.message("read_file", path="long.txt")).content, "é" * 1000 + "\n[… the rest of the file is left out …]")

    async def test_a_missing_or_binary_file_is_an_error_that_the_model_reads(self):
        message = await self.message("read_file", path="missing.txt")
        self.assertEqual(message.status, "error")
        self.assertIn("this file does not exist", message.content)
        await self.session.files.write("image.bin", b"\x89\x00\xff")
        message = await self.message("read_file", path="image.bin")
        self.assertEqual((message.status, message.content), ("error", "image.bin is not a text file."))
        message = await self.message("run_code", code="1", language="cobol")
        self.assertEqual(message.status, "error")
        self.assertEqual((await self.message("run_code", source="1")).status, "error")

    async def test_images_are_content_of_their_own(self):
        message = await self.message("run_code", code="class Dot:\n    def _repr_png_(self): return b'\\x89PNG'\nDot()")
        text, image = message.content
        self.assertEqual((text["type"], image), ("text", {"type": "image", "base64": "iVBORw==", "mime_type": "image/png"}))

    async def test_calls_run_in_parallel_and_code_waits_for_its_interpreter(self):
        commands = [self.message("run_command", command=f"echo {at}") for at in range(8)]
        codes = [self.message("run_code", code=f"count = globals().get('count', 0) + 1") for _ in range(8)]
        answers = await asyncio.gather(*commands, *codes)
        self.assertEqual([answer.content for answer in answers[:8]], [f"{at}\n[exit code 0]" for at in range(8)])
        self.assertEqual((await self.message("run_code", code="count")).content, "8")

    async def test_code_that_waits_for_the_host_does_not_block_the_agent(self):
        session = self.session
        message = await self.message("run_code", code="import holdfast\nholdfast.call('unknown.operation')", timeout_seconds=20)
        self.assertIn("waits for an answer", message.content)
        self.assertEqual((await session.run("1")).text, "1")

    async def test_a_session_that_has_ended_is_an_exception(self):
        other = await self.holdfast.sessions.create()
        await other.complete()
        with self.assertRaises(HoldfastError):
            await session_tools(other)[0].ainvoke(call("run_code", code="1"))
        await other.delete()
