import os
import unittest
import urllib.request

from holdfast import AsyncHoldfast, Retries
from holdfast.errors import Conflict, Ended


def restart_server():
    urllib.request.urlopen(urllib.request.Request(os.environ["CONTROL_URL"] + "?afterMs=0", method="POST")).close()


class Channels(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        # A busy machine takes longer to start a server than a client waits by default.
        self.holdfast = AsyncHoldfast(retries=Retries(limit=30))
        self.session = await self.holdfast.sessions.create()

    async def asyncTearDown(self):
        await self.session.delete()
        await self.holdfast.aclose()

    async def read_until(self, channel, text):
        read = b""
        async for output in channel:
            read += output.bytes
            if text in read:
                return read
        self.fail(f"{text} did not come: {read}")

    async def test_a_terminal_takes_input_and_sizes_and_ends_with_its_process(self):
        async with (await self.session.terminal(["bash", "--norc"], columns=100, rows=30)) as terminal:
            await terminal.write("stty size\n")
            await self.read_until(terminal, b"30 100")
            await terminal.resize(90, 20)
            await terminal.write(b"stty size\n")
            await self.read_until(terminal, b"20 90")
            await terminal.write("sleep 60\n")
            await self.read_until(terminal, b"sleep 60")
            await terminal.write("\x03")
            await terminal.write("exit 3\n")
            rest = [output async for output in terminal]
            self.assertIn(b"exit", b"".join(output.bytes for output in rest))
            with self.assertRaises(Conflict) as caught:
                await terminal.write("x")
            self.assertEqual(caught.exception.code, "process-ended")
        self.assertEqual((terminal.process.record.status, terminal.process.record.exit_code), ("exited", 3))

    async def test_leaving_a_terminal_kills_its_process_and_leaving_a_channel_does_not(self):
        async with (await self.session.terminal(["sleep", "60"])) as terminal:
            async with terminal.process.channel():
                pass
            self.assertEqual((await terminal.process.refresh()).status, "running")
        self.assertEqual((await terminal.process.wait()).signal, "SIGKILL")

    async def test_no_byte_is_lost_or_comes_twice_if_the_server_is_killed(self):
        code = "i=0; while [ $i -lt 400 ]; do echo line $i; i=$((i+1)); sleep 0.01; done"
        process = await self.session.processes.start(code)
        async with process.channel() as channel:
            read, restarts = b"", 0
            async for output in channel:
                read += output.bytes
                self.assertEqual(output.missing_before, 0)
                if read.count(b"\n") > 50 * (restarts + 1) and restarts < 2:
                    restarts += 1
                    restart_server()
        self.assertEqual(restarts, 2)
        self.assertEqual(read, b"".join(b"line %d\n" % number for number in range(400)))
        async with process.channel(after=output.seq - 4) as channel:
            self.assertEqual(b"".join([output.bytes async for output in channel]), b"399\n")

    async def test_bytes_go_through_unchanged(self):
        process = await self.session.processes.start(["cat"], stdin=True)
        content = bytes(range(256)) * 1024
        async with process.channel() as channel:
            read = b""
            for at in range(0, len(content), 32_768):
                await channel.write(content[at : at + 32_768])
                read += await self.read_until(channel, content[at + 32_700 : at + 32_768])
            await channel.end_input()
            read += b"".join([output.bytes async for output in channel])
        self.assertEqual(read, content)

    async def test_a_refusal_is_told_by_the_call_behind_it(self):
        process = await self.session.processes.start("trap 'echo ended; exit' TERM; echo begun; while :; do sleep 0.05; done")
        async with process.channel() as channel:
            await self.read_until(channel, b"begun")
            await channel.write("nobody reads this")
            await channel.signal("SIGTERM")
            await self.read_until(channel, b"ended")
            with self.assertRaises(Conflict) as caught:
                await channel.write("x")
            self.assertEqual(caught.exception.code, "stdin-closed")

    async def test_a_channel_that_cannot_be_opened_says_why(self):
        other = await self.holdfast.sessions.create()
        process = await other.processes.start("true")
        await other.delete()
        with self.assertRaises(Ended):
            await process.channel().__anext__()
