import json
import ssl
import unittest

import httpx

from holdfast import Holdfast, Retries
from holdfast._requests import act, create, get
from holdfast._retries import may_repeat
from holdfast.errors import ConnectionFailed, Forbidden, HoldfastError, InvalidRequest, NotFound, ServerFailed, from_problem

SESSION = "ses_01kaf3xq5t7e8m9n0p1r2s3t4v"


class Script:
    """A server that answers as it is told and keeps the requests."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests = []

    def __call__(self, request):
        request.read()
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def client_of(script, **options):
    http = httpx.Client(transport=httpx.MockTransport(script), base_url="http://holdfast.test", headers=options.pop("headers", {}))
    return Holdfast("http://ada:secret@holdfast.test", client=http, retries=Retries(first_seconds=0, **options))


def problem(status, code, **headers):
    return httpx.Response(status, json={"type": "/p", "code": code, "title": "Title", "status": status}, headers=headers)


class Repeating(unittest.TestCase):
    def test_the_repeats_of_a_call_have_its_key_and_other_calls_have_another(self):
        job = {"id": "job_1", "sessionId": SESSION, "status": "succeeded"}
        script = Script(
            httpx.ReadError("gone"), problem(503, "draining"), problem(409, "idempotency-conflict"), httpx.Response(202, json=job),
            httpx.Response(200, json=job), httpx.Response(202, json=job), httpx.Response(200, json=job),
        )  # fmt: skip
        holdfast = client_of(script)
        holdfast.run_job("bash", "true")
        holdfast.run_job("bash", "true")
        keys = [request.headers["idempotency-key"] for request in script.requests if request.method == "POST"]
        self.assertEqual(len(keys), 5)
        self.assertEqual(len(set(keys[:4])), 1)
        self.assertNotEqual(keys[3], keys[4])

    def test_a_server_that_never_answered_is_soon_given_up_and_one_that_did_is_waited_for(self):
        refused = [httpx.ConnectError("refused")] * 9
        absent = Script(*refused)
        with self.assertRaises(ConnectionFailed):
            client_of(absent).sessions.get(SESSION)
        self.assertEqual(len(absent.requests), 5)
        restarting = Script(problem(404, "not-found"), *refused, problem(404, "not-found"))
        holdfast = client_of(restarting)
        for _ in range(2):
            with self.assertRaises(NotFound):
                holdfast.sessions.get(SESSION)
        self.assertEqual(len(restarting.requests), 11)

    def test_a_call_without_a_memory_is_repeated_only_if_it_did_nothing(self):
        for failure, repeated in [
            (httpx.ReadError("gone"), False),
            (httpx.ReadTimeout("silent"), False),
            (httpx.ConnectError("refused"), True),
            (from_problem(503, {"code": "session-starting"}), True),
            (from_problem(503, {"code": "sandbox-unreachable"}), False),
            (from_problem(429, {"code": "quota-exceeded"}, 1.0), True),
            (from_problem(502, {}), False),
        ]:
            self.assertEqual(may_repeat(act("/v1/x"), failure), repeated, failure)

    def test_a_refusal_is_not_repeated(self):
        for status, code in [(400, "invalid-request"), (403, "policy-denied"), (409, "state-reset"), (429, "budget-exceeded")]:
            for request in (get("/v1/x"), create("/v1/x")):
                self.assertFalse(may_repeat(request, from_problem(status, {"code": code})), code)
        self.assertFalse(may_repeat(get("/v1/x"), httpx.UnsupportedProtocol("ftp")))

    def test_a_certificate_that_is_not_trusted_is_told_at_once(self):
        failure = httpx.ConnectError("certificate verify failed")
        failure.__cause__ = OSError()
        failure.__cause__.__context__ = ssl.SSLCertVerificationError()
        self.assertFalse(may_repeat(get("/v1/x"), failure))

    def test_gives_up_after_the_limit(self):
        script = Script(*[httpx.ConnectError("refused")] * 4)
        with self.assertRaises(ConnectionFailed) as caught:
            client_of(script, limit=3).languages()
        self.assertEqual(len(script.requests), 4)
        self.assertEqual(str(caught.exception), "GET /v1/languages at http://holdfast.test: refused")

    def test_a_deletion_whose_answer_was_lost_has_succeeded(self):
        client_of(Script(httpx.ReadError("gone"), problem(404, "not-found"))).revoke_api_key("key_1")

    def test_an_answer_that_breaks_off_is_asked_for_again(self):
        class Broken(httpx.SyncByteStream):
            def __iter__(self):
                yield b'{"profile":'
                raise httpx.ReadError("gone")

        script = Script(
            httpx.Response(200, stream=Broken()), httpx.Response(200, stream=Broken()), httpx.Response(200, json={"profile": "default"})
        )
        self.assertEqual(client_of(script).languages().profile, "default")

    def test_waits_as_long_as_the_server_asks(self):
        retries = Retries(first_seconds=1, longest_seconds=8)
        self.assertGreaterEqual(retries.pause(1, 30), 30)
        for failures, most in [(1, 1), (2, 2), (4, 8), (60, 8)]:
            self.assertTrue(most / 2 <= retries.pause(failures) <= most)

    def test_does_not_wait_longer_than_the_caller_allows(self):
        script = Script(problem(503, "draining", **{"Retry-After": "61"}))
        with self.assertRaises(ServerFailed) as caught:
            client_of(script).languages()
        self.assertEqual((len(script.requests), caught.exception.retry_after), (1, 61))
        script = Script(problem(503, "draining", **{"Retry-After": "0.01"}), httpx.Response(200, json={"profile": "default"}))
        self.assertEqual(client_of(script, longest_asked_seconds=0.01).languages().profile, "default")

    def test_streams_that_cannot_be_read_again_are_sent_once(self):
        script = Script(httpx.ConnectError("refused"))
        session = client_of(script)
        with self.assertRaises(ConnectionFailed):
            session.snapshots.restore("name", (piece for piece in [b"a"]))
        self.assertEqual(len(script.requests), 1)


    def test_a_body_is_sent_whole_again_or_not_at_all_if_the_answer_breaks_off(self):
        import io

        class Broken(httpx.SyncByteStream):
            def __iter__(self):
                yield b'{"name":'
                raise httpx.ReadError("gone")

        def answers():
            return Script(httpx.Response(201, stream=Broken()), httpx.Response(201, json={"name": "n"}))

        file, script = io.BytesIO(b"head, body"), answers()
        file.seek(6)
        client_of(script).snapshots.restore("name", file)
        self.assertEqual([request.content for request in script.requests], [b"body", b"body"])
        script = answers()
        with self.assertRaises(ConnectionFailed):
            client_of(script).snapshots.restore("name", iter([b"body"]))
        self.assertEqual([request.content for request in script.requests], [b"body"])

    def test_an_answer_of_something_else_is_an_error_of_this_package(self):
        class Undecodable(httpx.SyncByteStream):
            def __iter__(self):
                yield b"not gzip"

        encoded = httpx.Response(200, stream=Undecodable(), headers={"Content-Encoding": "gzip"})
        for answer in (httpx.Response(200, text="<html>Welcome</html>"), httpx.Response(200, json=[]), httpx.Response(204), encoded):
            with self.assertRaises(HoldfastError):
                client_of(Script(answer), limit=0).languages()


class Errors(unittest.TestCase):
    def test_have_the_fields_of_the_problem(self):
        faults = [{"pointer": "/code", "detail": "is missing"}]
        body = {"code": "invalid-request", "title": "Invalid", "detail": "see", "errors": faults, "requestId": "r1"}
        error = from_problem(400, body, 2.0)
        self.assertIsInstance(error, InvalidRequest)
        self.assertEqual((error.code, error.status, error.retry_after, error.request_id), ("invalid-request", 400, 2.0, "r1"))
        self.assertEqual(str(error), "Invalid: see [400 invalid-request] (request r1)\n  /code: is missing")

    def test_a_page_of_a_proxy_is_not_repeated_in_them(self):
        with self.assertRaises(Forbidden) as caught:
            client_of(Script(httpx.Response(403, text="<html>secret</html>"))).languages()
        self.assertNotIn("secret", str(caught.exception))
        with self.assertRaises(ServerFailed):
            client_of(Script(httpx.Response(500, text="oops"))).languages()

    def test_errors_of_a_gateway_are_errors_of_their_status(self):
        for errors in ("no", ["no"], {"a": "no"}):
            answer = httpx.Response(403, json={"errors": errors}, headers={"Retry-After": "inf"})
            with self.assertRaises(Forbidden) as caught:
                client_of(Script(answer)).languages()
            self.assertEqual((caught.exception.errors, caught.exception.retry_after), ([], None))

    def test_have_no_secret(self):
        holdfast = client_of(Script(problem(401, "unauthenticated")), headers={"Authorization": "Bearer hfk_secret"})
        self.assertNotIn("secret", repr(holdfast))
        with self.assertRaises(Exception) as caught:
            holdfast.languages()
        self.assertNotIn("secret", repr(caught.exception) + str(caught.exception) + json.dumps(str(vars(caught.exception))))

    def test_can_be_pickled(self):
        import pickle

        error = pickle.loads(pickle.dumps(from_problem(410, {"code": "session-ended", "endReason": "max_age"})))
        self.assertEqual((error.status, error.end_reason), (410, "max_age"))
