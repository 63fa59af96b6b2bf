import os
import unittest
import urllib.request

from jupyter_client.manager import KernelManager

SECONDS = 150
# A busy machine takes longer to start a server than a client waits by default.
PREPARE = """
%load_ext holdfast
from holdfast import Holdfast, Retries
session = Holdfast(retries=Retries(limit=30)).sessions.create()
%holdfast_session --session session
"""


class Jupyter(unittest.TestCase):
    """A notebook as its front end sees it: the messages of a real kernel."""

    @classmethod
    def setUpClass(cls):
        cls.manager = KernelManager(transport="ipc")
        cls.manager.start_kernel()
        cls.addClassCleanup(cls.manager.shutdown_kernel, now=True)
        cls.client = cls.manager.blocking_client()
        cls.client.start_channels()
        cls.addClassCleanup(cls.client.stop_channels)
        cls.client.wait_for_ready(timeout=SECONDS)
        Cell(cls, PREPARE).check()
        cls.addClassCleanup(lambda: Cell(cls, "session.delete()").check())

    def newest_status(self):
        cell = Cell(self, "step = next(iter(session.steps.list(order='desc')))\nprint(session.steps.wait(step.id).status)")
        return cell.stdout.strip()

    def test_shows_output_results_images_and_updates(self):
        code = """
import sys
from IPython.display import HTML, display
class Dot:
    def _repr_png_(self): return b"\\x89PNG"
print("out")
print("err", file=sys.stderr)
handle = display(HTML("<b>1</b>"), display_id=True)
handle.update(HTML("<b>2</b>"))
display(Dot())
6 * 7
"""
        cell = Cell(self, f"%%holdfast\n{code}").check()
        self.assertEqual((cell.stdout, cell.stderr), ("out\n", "err\n"))
        first, update, image, value = [one["data"] for kind, one in cell.messages if "data" in one]
        self.assertEqual((first["text/html"], update["text/html"], value["text/plain"]), ("<b>1</b>", "<b>2</b>", "42"))
        self.assertEqual("".join(image["image/png"].split()), "iVBORw==")
        self.assertEqual([kind for kind, one in cell.messages if "transient" in one][:2], ["display_data", "update_display_data"])

    def test_code_that_fails_is_an_error_of_the_cell_with_the_traceback_of_the_sandbox(self):
        cell = Cell(self, "%%holdfast -o failed\n1 / 0")
        self.assertEqual((cell.reply["ename"], cell.reply["evalue"]), ("StepFailed", "ZeroDivisionError: division by zero"))
        self.assertIn("1 / 0", "".join(cell.reply["traceback"]))
        self.assertNotIn("notebook.py", "".join(cell.reply["traceback"]))
        self.assertEqual(Cell(self, "print(failed.status)").stdout, "failed\n")

    def test_asks_questions_of_the_code(self):
        asked = []

        def answer(message):
            asked.append(message["content"])
            self.client.input("Ada")

        code = "%%holdfast\nimport getpass\nprint(input('Name: '), getpass.getpass('Key: '))"
        self.assertEqual(Cell(self, code, stdin=answer).check().stdout, "Ada Ada\n")
        self.assertEqual([(one["prompt"], one["password"]) for one in asked], [("Name: ", False), ("Key: ", True)])

    def test_a_question_that_cannot_be_asked_ends_its_code_and_the_next_cell_runs(self):
        cell = Cell(self, "%%holdfast\ninput('Name: ')")
        self.assertEqual(cell.reply["ename"], "StdinNotImplementedError")
        self.assertEqual(self.newest_status(), "interrupted")
        self.assertEqual(Cell(self, "%%holdfast\nprint(1)").check().stdout, "1\n")

    def test_stopping_a_cell_stops_its_code_and_keeps_its_variables(self):
        code = "%%holdfast\nimport time\nkept = 41\nprint('begun', flush=True)\ntime.sleep(600)"
        cell = Cell(self, code, on_first_output=self.manager.interrupt_kernel)
        self.assertEqual(cell.reply["ename"], "KeyboardInterrupt")
        self.assertIn("time.sleep(600)", cell.stderr)
        self.assertEqual(self.newest_status(), "interrupted")
        self.assertEqual(Cell(self, "%%holdfast\nprint(kept + 1)").check().stdout, "42\n")

    def test_stopping_a_question_stops_its_code(self):
        cell = Cell(self, "%%holdfast\ninput('Name: ')", stdin=lambda message: self.manager.interrupt_kernel())
        self.assertEqual(cell.reply["ename"], "KeyboardInterrupt")
        self.assertEqual(self.newest_status(), "interrupted")

    def test_a_cell_goes_on_over_a_restart_of_the_server(self):
        code = "%%holdfast\nimport time\nfor i in range(30): print(i, flush=True); time.sleep(0.2)"
        cell = Cell(self, code, on_first_output=lambda: control("POST", "?afterMs=0")).check()
        control("GET")
        self.assertEqual(cell.stdout.split(), [str(i) for i in range(30)])

    def test_both_clients_work_in_the_event_loop_of_the_notebook(self):
        code = """
from holdfast import AsyncHoldfast
async with AsyncHoldfast() as holdfast:
    again = await holdfast.sessions.get(session.id)
    print((await again.run("6 * 7")).text, session.run("6 * 7").text)
"""
        self.assertEqual(Cell(self, code).check().stdout, "42 42\n")

    def test_a_session_that_has_ended_gives_way_to_a_new_one(self):
        Cell(self, "session.delete()").check()
        self.assertEqual(Cell(self, "%%holdfast\n1").reply["ename"], "Ended")
        Cell(self, "session = %holdfast_session --new").check()
        self.assertEqual(Cell(self, "%%holdfast\nprint(1)").check().stdout, "1\n")


class Cell:
    """A cell that has run. `stdin` answers its questions; without it, the front end takes none. `on_first_output` is called once it prints."""

    def __init__(self, notebook, code, *, stdin=None, on_first_output=None):
        self.messages = []
        waiting = [on_first_output] if on_first_output is not None else []

        def note(message):
            kind, content = message["header"]["msg_type"], message["content"]
            self.messages.append((kind, content))
            if kind == "stream" and waiting:
                waiting.pop()()

        message = notebook.client.execute_interactive(
            code, timeout=SECONDS, allow_stdin=stdin is not None, stdin_hook=stdin, output_hook=note
        )
        assert not waiting, "the code has not printed"
        self.reply = message["content"]
        self.stdout, self.stderr = (
            "".join(one["text"] for kind, one in self.messages if kind == "stream" and one["name"] == name) for name in ("stdout", "stderr")
        )

    def check(self):
        assert self.reply["status"] == "ok", self.reply
        return self


def control(method, query=""):
    request = urllib.request.Request(os.environ["CONTROL_URL"] + query, method=method)
    urllib.request.urlopen(request).close()
