import base64
import unittest

from holdfast import AsyncHoldfast
from holdfast.errors import InvalidRequest
from holdfast.models import ProcessFinishedEvent, ProcessStdoutEvent, ProgramLimits, TerminalSize


class Processes(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.holdfast = AsyncHoldfast()
        self.session = await self.holdfast.sessions.create()
        self.processes = self.session.processes

    async def asyncTearDown(self):
        await self.session.delete()
        await self.holdfast.aclose()

    async def test_runs_a_program_to_its_end(self):
        done = await self.processes.run(["sh", "-c", "echo out; echo err >&2; exit 3"])
        self.assertEqual((done.status, done.exit_code, done.stdout, done.stderr), ("exited", 3, "out\n", "err\n"))

    async def test_writes_to_a_process_and_reads_its_answer(self):
        process = await self.processes.start("read name; echo hello $name; cat", stdin=True)
        await process.write("Ada\n")
        await process.write(b"\xff\x00", end=True)
        output = b""
        async with process.events() as events:
            async for event in events:
                if isinstance(event, ProcessStdoutEvent):
                    output += event.text.encode() if event.text is not None else base64.b64decode(event.base64)
        self.assertEqual(output, b"hello Ada\n\xff\x00")
        self.assertIsInstance(event, ProcessFinishedEvent)
        self.assertEqual(process.record.status, "exited")
        self.assertEqual(b"".join([piece async for piece in process.output()]), output)

    async def test_signals_a_process(self):
        process = await self.processes.start(["sleep", "60"])
        self.assertEqual([one.id async for one in self.processes.list(status="running")], [process.id])
        await process.signal("SIGTERM")
        done = await process.wait()
        self.assertEqual((done.status, done.signal), ("signalled", "SIGTERM"))

    async def test_a_process_has_a_terminal(self):
        process = await self.processes.start("stty size; read line; stty size", terminal=TerminalSize(columns=80, rows=24))
        await process.resize(100, 30)
        await process.write("\n")
        self.assertIn("30 100", (await process.wait()).stdout)

    async def test_limits_and_faults_are_named(self):
        process = await self.processes.start(["sleep", "0.2"], limits=ProgramLimits(processes_max=20))
        await process.wait()
        self.assertEqual((await self.processes.get(process.id)).record.status, "exited")
        with self.assertRaises(InvalidRequest) as caught:
            await self.processes.start(["no-such-program"])
        self.assertEqual(caught.exception.code, "command-not-started")
