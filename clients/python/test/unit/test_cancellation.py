import asyncio
import json
import unittest

import anyio
import httpx

from holdfast import AsyncHoldfast, Retries
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


SESSION = {"id": "ses_1", "status": "active"}


class Cancellation(unittest.IsolatedAsyncioTestCase):
    async def test_a_cancelled_reader_closes_its_connection_and_asks_no_more(self):
        body, requests, begun = Silent(), [], asyncio.Event()

        def answer(request):
            requests.append(request)
            return httpx.Response(200, stream=body)

        async def read():
            http = httpx.AsyncClient(transport=httpx.MockTransport(answer))
            transport = AsyncTransport(http, Retries(first_seconds=0), "http://holdfast.test", {})
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

    async def test_a_session_is_completed_although_its_task_is_cancelled(self):
        paths = []

        async def answer(request):
            await anyio.sleep(0)
            paths.append(request.url.path)
            return httpx.Response(200 if request.url.path.endswith("/complete") else 201, json=SESSION)

        http = httpx.AsyncClient(transport=httpx.MockTransport(answer), base_url="http://holdfast.test")
        async with AsyncHoldfast(client=http) as holdfast:
            with anyio.CancelScope() as scope:
                async with await holdfast.sessions.create():
                    scope.cancel()
                    await anyio.sleep(60)
        self.assertEqual(paths, ["/v1/sessions", "/v1/sessions/ses_1/complete"])
