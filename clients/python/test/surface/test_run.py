import unittest

from holdfast import AsyncHoldfast
from holdfast.errors import Conflict, Ended, InvalidRequest, NotFound, OperationError
from holdfast.models import FinishedEvent, ResultEvent, StdoutEvent


class Run(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.holdfast = AsyncHoldfast()
        self.session = await self.holdfast.sessions.create()

    async def asyncTearDown(self):
        await self.session.delete()
        await self.holdfast.aclose()

    async def test_keeps_variables_from_step_to_step(self):
        await self.session.run("x = 41")
        step = await self.session.run("x + 1")
        self.assertEqual(step.results[0].data["text/plain"], "42")
        self.assertEqual((step.text, step.ok, step.outcome.tag), ("42", True, "ok"))

    async def test_code_that_fails_is_a_result(self):
        step = await self.session.run("1 / 0")
        self.assertEqual((step.status, step.error.name), ("failed", "ZeroDivisionError"))
        self.assertFalse(step.ok)

    async def test_output_is_kept_with_every_separator(self):
        text = "a\u2028b\x85c\u2029d\r\x0b\x0c"
        step = await self.session.run(f"print({text!r}, end='')")
        self.assertEqual(step.stdout, text)

    async def test_streams_events_in_order(self):
        events = []
        async with self.session.stream("print('a'); print('b'); 'c'") as stream:
            async for event in stream:
                events.append(event)
        self.assertEqual([event.seq for event in events], list(range(1, len(events) + 1)))
        self.assertEqual("".join(event.text for event in events if isinstance(event, StdoutEvent)), "a\nb\n")
        self.assertEqual([event.data["text/plain"] for event in events if isinstance(event, ResultEvent)], ["'c'"])
        self.assertIsInstance(events[-1], FinishedEvent)
        self.assertEqual(stream.step.stdout, "a\nb\n")

    async def test_gives_every_event_to_a_function(self):
        events = []
        await self.session.run("print(1)", on_event=events.append)
        self.assertIn("stdout", [event.type for event in events])

    async def test_answers_code_that_asks_for_input(self):
        step = await self.session.run("input('Name: ') + '!'", on_input=lambda event: "Ada" if event.prompt == "Name: " else None)
        self.assertEqual(step.text, "'Ada!'")

    async def test_a_step_that_needs_input_is_returned_and_goes_on(self):
        step = await self.session.run("input('Name: ')", stdin=True)
        self.assertEqual((step.status, step.outcome.tag, step.outcome.prompt), ("running", "needs", "Name: "))
        await self.session.steps.send_input(step.id, "Ada")
        self.assertEqual((await self.session.steps.wait(step.id)).text, "'Ada'")

    async def test_answers_operations_of_the_host(self):
        self.session.on_operation("math.add", lambda a, b: a + b)
        step = await self.session.run("import holdfast; holdfast.call('math.add', 2, 3)")
        self.assertEqual((step.text, step.operations[0].name), ("5", "math.add"))

    async def test_code_gets_an_error_that_is_meant_for_it_and_no_other_text_of_the_host(self):
        def fail(error):
            raise error

        self.session.on_operation("jira.get", lambda: fail(OperationError("no such ticket", name="NotFound")))
        self.session.on_operation("jira.put", lambda: fail(KeyError("secret")))
        code = """
import holdfast
for name in ("jira.get", "jira.put"):
    try:
        holdfast.call(name)
    except holdfast.OperationError as error:
        print(error)
"""
        with self.assertLogs("holdfast") as logged:
            step = await self.session.run(code)
        self.assertEqual(step.stdout, "NotFound: no such ticket\nthe function of the host has failed\n")
        self.assertIn("secret", logged.output[0])
        self.assertNotIn("secret", str(step))

    async def test_a_started_step_is_followed_and_interrupted(self):
        step = await self.session.start("print('begun', flush=True)\nimport time\ntime.sleep(60)")
        async with self.session.steps.follow(step.id) as events:
            async for event in events:
                if isinstance(event, StdoutEvent):
                    await self.session.steps.interrupt(step.id)
        self.assertEqual(events.step.status, "interrupted")
        self.assertTrue((await self.session.run("1")).ok)

    async def test_lists_the_history(self):
        for code in ("1", "2", "3"):
            await self.session.run(code)
        self.assertEqual([step.code async for step in self.session.steps.list()], ["1", "2", "3"])
        newest = self.session.steps.list(order="desc")
        self.assertEqual([step.code async for step in newest][0], "3")

    async def test_reads_all_output_of_a_step(self):
        step = await self.session.run("print('x' * 100_000, end='')")
        self.assertEqual(b"".join([piece async for piece in self.session.steps.output(step.id)]), b"x" * 100_000)

    async def test_names_each_fault_of_a_request(self):
        with self.assertRaises(InvalidRequest) as caught:
            await self.session.run("1", timeout_seconds=-1)
        self.assertEqual((caught.exception.status, caught.exception.code), (400, "invalid-request"))
        self.assertEqual(caught.exception.errors[0].pointer, "/timeoutSeconds")

    async def test_errors_follow_the_status(self):
        with self.assertRaises(NotFound):
            await self.holdfast.sessions.get("ses_00000000000000000000000000")
        with self.assertRaises(Conflict) as conflict:
            await self.session.run("1", if_context_epoch=7)
        self.assertEqual(conflict.exception.code, "state-reset")
        other = await self.holdfast.sessions.create()
        await other.complete()
        with self.assertRaises(Ended) as ended:
            await other.run("1")
        self.assertEqual(ended.exception.end_reason, "completed_by_host")
        await other.delete()

    async def test_finds_sessions_by_metadata_and_key(self):
        async with (await self.holdfast.sessions.create(metadata={"topic": "sdk"}, client_key="sdk-1")) as made:
            again = await self.holdfast.sessions.create(metadata={"topic": "sdk"}, client_key="sdk-1")
            self.assertEqual(again.id, made.id)
            found = [one.id async for one in self.holdfast.sessions.list(metadata={"topic": "sdk"}, status=["active", "paused"])]
            self.assertEqual(found, [made.id])
            await made.update(metadata={"topic": None, "draft": "yes"})
            self.assertEqual(made.record.metadata, {"draft": "yes"})
