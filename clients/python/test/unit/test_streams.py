import gc
import itertools
import json
import unittest
from unittest import mock

import httpx

from holdfast import Retries
from holdfast._endless_positions import WatchPosition
from holdfast._event_source import EventSource
from holdfast._positions import ProcessPosition, StepPosition
from holdfast._requests import create
from holdfast._sync.output import Output
from holdfast._sync.streams import Events
from holdfast._sync.transport import Transport
from holdfast.errors import ConnectionFailed, HoldfastError, ProblemError
from holdfast.models import FileOverflowEvent, FileReadyEvent

STEP = "stp_1"


def event(seq, **more):
    return {"type": "stdout", "seq": seq, "stepId": STEP, "sessionId": "ses_1", "text": str(seq), **more}


def text_of(*events):
    return "".join(f"id: {one.get('seq')}\ndata: {json.dumps(one)}\n\n" for one in events).encode()


class Broken(httpx.SyncByteStream):
    """A body that ends with an error, in the middle of a line."""

    def __init__(self, text):
        self.text = text

    def __iter__(self):
        yield self.text
        raise httpx.RemoteProtocolError("peer closed connection")


def client_of(body):
    http = httpx.Client(transport=httpx.MockTransport(lambda request: httpx.Response(200, stream=body)))
    return Transport(http, Retries(), "http://holdfast.test", {})


def read(answers, position, **retries):
    requests = []

    def answer(request):
        requests.append(request)
        return answers.pop(0)

    http = httpx.Client(transport=httpx.MockTransport(answer))
    events = Events(Transport(http, Retries(first_seconds=0, **retries), "http://holdfast.test", {}), position)
    return events, requests


class Resuming(unittest.TestCase):
    def test_goes_on_behind_the_last_event_and_drops_repeats(self):
        position = StepPosition("ses_1", start=create("/v1/sessions/ses_1/steps", {"code": "x"}))
        finished = {**event(5), "type": "finished", "step": {"id": STEP, "status": "succeeded"}}
        answers = [
            httpx.Response(200, stream=Broken(text_of(event(1), event(2)) + b'data: {"ty')),
            httpx.Response(200, content=text_of(event(2), event(3))),
            httpx.Response(200, content=text_of(event(4), finished)),
        ]
        events, requests = read(answers, position)
        self.assertEqual([one.seq for one in events], [1, 2, 3, 4, 5])
        self.assertEqual([f"{one.method} {one.url.raw_path.decode()}" for one in requests], [
            "POST /v1/sessions/ses_1/steps",
            "GET /v1/sessions/ses_1/steps/stp_1/events?after=2",
            "GET /v1/sessions/ses_1/steps/stp_1/events?after=3",
        ])  # fmt: skip
        self.assertEqual(position.step.status, "succeeded")

    def test_repeats_the_start_with_its_key_before_the_first_event(self):
        position = StepPosition("ses_1", start=create("/v1/sessions/ses_1/steps", {"code": "x"}))
        finished = {**event(1), "type": "finished", "step": {"id": STEP}}
        events, requests = read([httpx.Response(200, stream=Broken(b"")), httpx.Response(200, content=text_of(finished))], position)
        self.assertEqual([one.type for one in events], ["finished"])
        first, second = (one.headers["idempotency-key"] for one in requests)
        self.assertEqual(first, second)

    def test_every_event_gives_all_its_patience_back(self):
        finished = {**event(20), "type": "finished", "step": {"id": STEP}}
        answers = [httpx.Response(200, stream=Broken(text_of(event(seq)))) for seq in range(1, 20)]
        events, _ = read([*answers, httpx.Response(200, content=text_of(finished))], StepPosition("ses_1", step_id=STEP), limit=1)
        self.assertEqual(len(list(events)), 20)

    def test_goes_on_for_as_long_as_its_connections_hold_for_a_while(self):
        finished = {**event(1), "type": "finished", "step": {"id": STEP}}
        answers = [httpx.Response(200, stream=Broken(b": still here\n\n")) for _ in range(20)]
        clock = itertools.count(step=6)
        with mock.patch("holdfast._sync.streams.monotonic", lambda: next(clock)):
            events, _ = read([*answers, httpx.Response(200, content=text_of(finished))], StepPosition("ses_1", step_id=STEP), limit=1)
            self.assertEqual(len(list(events)), 1)

    def test_the_end_of_a_lost_step_or_process_is_told_although_its_stream_has_none(self):
        lost = {"id": STEP, "sessionId": "ses_1", "status": "lost", "finishedAt": "2026-01-01T00:00:00Z", "actor": "agent"}
        begun = text_of(event(203))
        counted_anew = {**event(1), "type": "finished", "step": lost}
        for end in ([httpx.Response(204), httpx.Response(200, json=lost)], [httpx.Response(200, content=text_of(counted_anew))]):
            position = StepPosition("ses_1", step_id=STEP)
            events, _ = read([httpx.Response(200, stream=Broken(begun)), *end], position)
            self.assertEqual([one.type for one in events], ["stdout", "finished"])
            self.assertEqual(position.step.status, "lost")
        ends = []
        position = ProcessPosition("ses_1", "prc_1", 0, ends.append)
        answers = [httpx.Response(200, stream=Broken(text_of({**event(7), "processId": "prc_1"}))), httpx.Response(204), httpx.Response(200, json=lost)]
        events, _ = read(answers, position)
        self.assertEqual([one.type for one in events], ["stdout", "finished"])
        self.assertEqual([process.status for process in ends], ["lost"])

    def test_a_stream_behind_the_end_of_a_step_is_empty_and_knows_the_step(self):
        ended = {"id": STEP, "sessionId": "ses_1", "status": "succeeded", "finishedAt": "2026-01-01T00:00:00Z", "actor": "agent"}
        position = StepPosition("ses_1", step_id=STEP, after=9)
        events, _ = read([httpx.Response(204), httpx.Response(200, json=ended)], position)
        self.assertEqual((list(events), position.step.status), ([], "succeeded"))

    def test_gives_up_if_nothing_comes(self):
        position = StepPosition("ses_1", step_id=STEP)
        events, requests = read([httpx.Response(200, stream=Broken(b"")) for _ in range(3)], position, limit=2)
        with self.assertRaises(ConnectionFailed):
            list(events)
        self.assertEqual(len(requests), 3)

    def test_a_failure_of_the_server_is_a_break_and_a_refusal_is_an_error(self):
        def failing(status, code):
            problem = {"type": "/p", "code": code, "title": "Title", "status": status}
            return httpx.Response(200, content=text_of(event(1)) + f"event: problem\ndata: {json.dumps(problem)}\n\n".encode())

        finished = {**event(2), "type": "finished", "step": {"id": STEP}}
        answers = [failing(503, "database-unavailable"), httpx.Response(200, content=text_of(finished))]
        events, _ = read(answers, StepPosition("ses_1", step_id=STEP))
        self.assertEqual([one.seq for one in events], [1, 2])
        events, _ = read([failing(410, "session-ended")], StepPosition("ses_1", step_id=STEP))
        with self.assertRaises(ProblemError) as caught:
            list(events)
        self.assertEqual(caught.exception.code, "session-ended")

    def test_a_failure_that_stays_is_told_with_its_code(self):
        problem = {"type": "/p", "code": "database-unavailable", "title": "Title", "status": 503}
        failing = f"event: problem\ndata: {json.dumps(problem)}\n\n".encode()
        answers = [httpx.Response(200, content=failing) for _ in range(2)]
        events, _ = read(answers, StepPosition("ses_1", step_id=STEP), limit=1)
        with self.assertRaises(ProblemError) as caught:
            list(events)
        self.assertEqual(caught.exception.code, "database-unavailable")

    def test_a_watch_that_was_broken_says_that_changes_may_be_missing(self):
        ended = {"type": "ended", "reason": "deleted"}
        answers = [
            httpx.Response(200, content=text_of({"type": "ready"})),
            httpx.Response(200, content=text_of({"type": "ready"}, ended)),
        ]
        events, _ = read(answers, WatchPosition("ses_1", "", True))
        kinds = [type(one) for one in events]
        self.assertEqual(kinds[:2], [FileReadyEvent, FileOverflowEvent])

    def test_closing_it_closes_the_connection_and_so_does_dropping_it_without_the_garbage_collector(self):
        class Endless(httpx.SyncByteStream):
            closed = False

            def __iter__(self):
                for seq in range(1, 1000):
                    yield text_of(event(seq))

            def close(self):
                self.closed = True

        body = Endless()
        events, _ = read([httpx.Response(200, stream=body)], StepPosition("ses_1", step_id=STEP))
        with events:
            self.assertEqual(next(events).seq, 1)
        self.assertTrue(body.closed)
        body, output = Endless(), Endless()
        events, _ = read([httpx.Response(200, stream=body)], StepPosition("ses_1", step_id=STEP))
        pieces = Output(lambda begin: client_of(output).bytes_of("/v1/x", begin))
        for dropped in (events, pieces):
            next(dropped)
        gc.disable()
        self.addCleanup(gc.enable)
        del dropped, events, pieces
        self.assertEqual((body.closed, output.closed), (True, True))


class Parsing(unittest.TestCase):
    def test_any_cut_gives_the_same_events(self):
        events = [{"text": "a\u2028b\x85\r"}, {"text": "größe"}]
        content = b": still here\n\n" + "".join(f"data: {json.dumps(one, ensure_ascii=False)}\n\n" for one in events).encode()
        for size in range(1, len(content)):
            source = EventSource()
            pieces = [content[at : at + size] for at in range(0, len(content), size)]
            self.assertEqual([one for piece in pieces for one in source.feed(piece)], events)

    @mock.patch("holdfast._event_source.EVENT_BYTES", 100)
    def test_an_event_without_an_end_is_refused(self):
        whole = b"data: {}" + b" " * 80 + b"\n\n"
        for rest in (b"x", b"x\n"):
            source = EventSource()
            for _ in range(10):
                self.assertEqual(list(source.feed(whole)), [{}])
            with self.assertRaises(HoldfastError):
                for _ in range(101):
                    list(source.feed(rest))

    def test_an_event_that_is_cut_off_is_not_given(self):
        source = EventSource()
        self.assertEqual(list(source.feed(b'data: {"seq": 1}\n')), [])
