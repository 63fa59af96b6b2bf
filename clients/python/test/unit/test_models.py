import copy
import pickle
import unittest

import httpx

from holdfast._decode import decode_object, encode
from holdfast._positions import StepPosition
from holdfast._files import file_path
from holdfast._requests import patch, session_path, step_input
from holdfast.models import Budget, Failed, ModelRules, NeedsInput, PolicyRules, Result, Step, UnknownEvent, WorldRules


class Models(unittest.TestCase):
    def test_choices_are_found_by_their_tag(self):
        step = decode_object(Step, {"id": "stp_1", "outcome": {"tag": "needs", "what": "stdin", "prompt": "?", "password": False}})
        self.assertEqual(step.outcome, NeedsInput(tag="needs", what="stdin", prompt="?", password=False))
        failed = decode_object(Step, {"outcome": {"tag": "error", "kind": "budget", "stateSurvived": None}}).outcome
        self.assertEqual((type(failed), failed.kind, failed.state_survived), (Failed, "budget", None))

    def test_a_newer_server_is_understood(self):
        new = {"type": "invented", "seq": 3, "stepId": "stp_1", "sessionId": "ses_1"}
        event = StepPosition("ses_1", step_id="stp_1").accept(new)
        self.assertEqual(event, UnknownEvent("unknown", 3, new))
        result = decode_object(Result, {"isMain": True, "data": {}, "metadata": {}, "invented": 1})
        self.assertTrue(result.is_main)

    def test_arguments_become_json_without_what_was_not_given(self):
        policy = PolicyRules(preset="safe-edit", world=WorldRules(write_patterns=["src/**"]))
        self.assertEqual(encode(policy), {"preset": "safe-edit", "world": {"writePatterns": ["src/**"]}})
        self.assertEqual(encode({"b": b"\x00", "budget": Budget(cost="2.50")}), {"b": {"base64": "AA=="}, "budget": {"cost": "2.50"}})

    def test_a_limit_that_is_none_is_removed_and_one_that_is_left_out_stays(self):
        for budget in (Budget(tokens=None), copy.deepcopy(Budget(tokens=None)), pickle.loads(pickle.dumps(Budget(tokens=None)))):
            self.assertEqual(encode(budget), {"tokens": None})
        self.assertEqual(encode(PolicyRules(llm=ModelRules(max_tokens_per_call=None))), {"llm": {"maxTokensPerCall": None}})

    def test_a_change_has_a_null_for_each_none(self):
        self.assertEqual(patch("/x", {"idle_timeout_seconds": 9, "budget": None}).json, {"idleTimeoutSeconds": 9, "budget": None})

    def test_input_has_a_key_and_a_null_for_its_end(self):
        first, second = step_input("ses_1", "stp_1", "a"), step_input("ses_1", "stp_1", None)
        self.assertEqual((first.json, second.json, first.repeatable), ({"text": "a"}, {"text": None}, True))
        self.assertNotEqual(first.headers["Idempotency-Key"], second.headers["Idempotency-Key"])

    def test_paths_keep_their_slashes_and_nothing_else(self):
        self.assertEqual(file_path("ses_1", "a b/ü?#%.txt"), "/v1/sessions/ses_1/files/a%20b/%C3%BC%3F%23%25.txt")
        self.assertEqual(file_path("ses_1", "/tmp/x"), "/v1/sessions/ses_1/files/%2Ftmp%2Fx")
        self.assertEqual(file_path("ses_1", "./a/../b"), "/v1/sessions/ses_1/files/b")

    def test_dots_in_names_and_paths_never_lead_to_another_place_of_the_api(self):
        with httpx.Client(base_url="http://holdfast.test") as client:
            for path in ("..", ".", "../../ses_2", "a/../../..", "a/..", "/tmp/.."):
                sent = client.build_request("DELETE", file_path("ses_1", path)).url.raw_path.decode()
                self.assertRegex(sent, r"^/v1/sessions/ses_1/files/[^/]+$")
                self.assertNotIn(sent.rsplit("/", 1)[1], (".", ".."))
        for name in ("", ".", ".."):
            with self.assertRaises(ValueError):
                session_path("ses_1", "contexts", name)
