import asyncio
import json
import unittest

import anyio
import httpx

from holdfast import AsyncHoldfast, Retries
from holdfast._async.session_tools import AsyncSessionTools
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

    async def test_code_and_commands_of_a_cancelled_call_are_stopped_also_before_the_server_has_answered(self):
        started = {"type": "started", "seq": 1, "stepId": "stp_1", "sessionId": "ses_1"}
        process = {"id": "prc_1", "sessionId": "ses_1", "status": "running"}
        for tool, arguments, first, stop in (
            ("run_code", {"code": "1"}, httpx.Response(200, content=f"data: {json.dumps(started)}\n\n".encode()), "/steps/stp_1/interrupt"),
            ("run_command", {"command": "true"}, httpx.Response(201, json=process), "/processes/prc_1/signal"),
        ):
            requests, begun = [], asyncio.Event()

            async def answer(request):
                requests.append(request)
                if request.method == "GET":
                    return httpx.Response(200, json=SESSION)
                if request.url.path.endswith(stop):
                    return httpx.Response(200, json={})
                if len(requests) == 2:
                    begun.set()
                    await asyncio.Event().wait()
                return first

            http = httpx.AsyncClient(transport=httpx.MockTransport(answer), base_url="http://holdfast.test")
            session = await AsyncHoldfast(client=http).sessions.get("ses_1")
            task = asyncio.ensure_future(AsyncSessionTools(session, 100).call(tool, arguments))
            await begun.wait()
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            _, start, again, stopped = requests
            self.assertEqual(start.headers["Idempotency-Key"], again.headers["Idempotency-Key"])
            self.assertTrue(stopped.url.path.endswith(stop))

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
