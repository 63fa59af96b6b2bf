"""Reading and writing at the same time, with tasks and with threads."""

import asyncio
import threading
import time
import unittest

from holdfast import AsyncHoldfast, Holdfast

CONTENT = bytes(range(256)) * 4096


class Together(unittest.TestCase):
    def test_threads_read_and_write(self):
        with Holdfast() as holdfast, holdfast.sessions.create() as session:
            with session.processes.start(["cat"], stdin=True).channel() as channel:
                writer = threading.Thread(target=lambda: (channel.write(CONTENT), channel.end_input()))
                writer.start()
                self.assertEqual(b"".join(output.bytes for output in channel), CONTENT)
                writer.join()

    def test_a_thread_that_closes_a_channel_ends_the_one_that_reads(self):
        with Holdfast() as holdfast, holdfast.sessions.create() as session:
            channel = session.processes.start(["sleep", "60"]).channel()
            read = []
            reader = threading.Thread(target=lambda: read.extend(channel))
            reader.start()
            while channel._socket is None:
                time.sleep(0.01)
            channel.close()
            reader.join(10)
            self.assertFalse(reader.is_alive())
            self.assertEqual(read, [])

    def test_tasks_read_and_write(self):
        async def work():
            async with AsyncHoldfast() as holdfast, await holdfast.sessions.create() as session:
                process = await session.processes.start(["cat"], stdin=True)

                async def write():
                    await channel.write(CONTENT)
                    await channel.end_input()

                async with process.channel() as channel:
                    writer = asyncio.ensure_future(write())
                    self.assertEqual(b"".join([output.bytes async for output in channel]), CONTENT)
                    await writer

        asyncio.run(work())

    def test_a_cancelled_reader_closes_its_connection(self):
        async def work():
            async with AsyncHoldfast() as holdfast, await holdfast.sessions.create() as session:
                process = await session.processes.start(["sleep", "60"])

                async def read():
                    async with process.channel() as channel:
                        opened.append(channel)
                        return [output async for output in channel]

                opened = []
                reader = asyncio.ensure_future(read())
                while not opened or opened[0]._socket is None:
                    await asyncio.sleep(0.01)
                reader.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await reader
                self.assertIsNone(opened[0]._socket)
                self.assertEqual((await process.refresh()).status, "running")

        asyncio.run(work())
