import asyncio
import json
import unittest

import httpx

from holdfast import Retries
from holdfast._async.streams import AsyncEvents
from holdfast._async.transport import AsyncTransport
from holdfast._positions import StepPosition


class Silent(httpx.AsyncByteStream):
    """One event, and then nothing for ever."""

    def __init__(self):
        self.closed = False

    async def __aiter__(self):
        event = {"type": "stdout", "seq": 1, "stepId": "stp_1", "sessionId": "ses_1", "text": "a"}
        yield f"data: {json.dumps(event)}\n\n".encode()
        await asyncio.Event().wait()

    async def aclose(self):
        self.closed = True


class Cancellation(unittest.IsolatedAsyncioTestCase):
    async def test_a_cancelled_reader_closes_its_connection_and_asks_no_more(self):
        body, requests, begun = Silent(), [], asyncio.Event()

        def answer(request):
            requests.append(request)
            return httpx.Response(200, stream=body)

        async def read():
            http = httpx.AsyncClient(transport=httpx.MockTransport(answer), base_url="http://holdfast.test")
            transport = AsyncTransport(http, Retries(first_seconds=0))
            async with AsyncEvents(transport, StepPosition("ses_1", step_id="stp_1")) as events:
                async for _ in events:
                    begun.set()

        task = asyncio.ensure_future(read())
        await begun.wait()
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        self.assertTrue(body.closed)
        self.assertEqual(len(requests), 1)
