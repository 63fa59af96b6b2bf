import unittest

from holdfast._decode import decode_object, encode
from holdfast._positions import StepPosition
from holdfast._requests import file_path
from holdfast.models import Budget, Failed, NeedsInput, PolicyRules, Result, Step, UnknownEvent, WorldRules


class Models(unittest.TestCase):
    def test_choices_are_found_by_their_tag(self):
        step = decode_object(Step, {"id": "stp_1", "outcome": {"tag": "needs", "what": "stdin", "prompt": "?", "password": False}})
        self.assertEqual(step.outcome, NeedsInput(tag="needs", what="stdin", prompt="?", password=False))
        failed = decode_object(Step, {"outcome": {"tag": "error", "kind": "budget", "stateSurvived": None}}).outcome
        self.assertEqual((type(failed), failed.kind, failed.state_survived), (Failed, "budget", None))

    def test_a_newer_server_is_understood(self):
        new = {"type": "invented", "seq": 3, "stepId": "stp_1", "sessionId": "ses_1"}
        event = StepPosition("ses_1", step_id="stp_1").accept(new)
        self.assertEqual(event, UnknownEvent("invented", 3, new))
        result = decode_object(Result, {"isMain": True, "data": {}, "metadata": {}, "invented": 1})
        self.assertTrue(result.is_main)

    def test_arguments_become_json_without_what_was_not_given(self):
        policy = PolicyRules(preset="safe-edit", world=WorldRules(write_patterns=["src/**"]))
        self.assertEqual(encode(policy), {"preset": "safe-edit", "world": {"writePatterns": ["src/**"]}})
        self.assertEqual(encode({"b": b"\x00", "budget": Budget(cost="2.50")}), {"b": {"base64": "AA=="}, "budget": {"cost": "2.50"}})

    def test_paths_keep_their_slashes_and_nothing_else(self):
        self.assertEqual(file_path("ses_1", "a b/ü?#%.txt"), "/v1/sessions/ses_1/files/a%20b/%C3%BC%3F%23%25.txt")
        self.assertEqual(file_path("ses_1", "/tmp/x"), "/v1/sessions/ses_1/files/%2Ftmp%2Fx")
