import unittest

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from holdfast.notebook import StepFailed


class Notebook(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shell = InteractiveShell.instance()
        cls.run_cell("%load_ext holdfast")

    @classmethod
    def tearDownClass(cls):
        cls.run_cell("session.delete()")

    @classmethod
    def run_cell(cls, code):
        with capture_output() as captured:
            result = cls.shell.run_cell(code)
        result.raise_error()
        return captured

    def setUp(self):
        self.run_cell("session = %holdfast_session")

    def test_a_cell_runs_in_the_session_and_shows_what_it_shows(self):
        self.run_cell("%%holdfast\nx = 41")
        captured = self.run_cell("%%holdfast\nimport sys\nprint('out')\nprint('err', file=sys.stderr)\nx + 1")
        self.assertEqual((captured.stdout, captured.stderr), ("out\n", "err\n"))
        self.assertEqual([shown.data["text/plain"] for shown in captured.outputs], ["42"])
        self.assertNotIn("x", self.shell.user_ns)

    def test_a_cell_chooses_its_language_and_keeps_its_step(self):
        captured = self.run_cell("%%holdfast -l bash -o step\necho $((6 * 7))")
        self.assertEqual(captured.stdout, "42\n")
        self.assertEqual(self.shell.user_ns["step"].stdout, "42\n")

    def test_a_cell_shows_images_and_errors(self):
        code = "class Dot:\n    def _repr_png_(self): return b'\\x89PNG'\nDot()"
        captured = self.run_cell(f"%%holdfast\n{code}")
        self.assertEqual(captured.outputs[0].data["image/png"].strip(), "iVBORw==")
        with self.assertRaisesRegex(StepFailed, "^ZeroDivisionError: division by zero$"):
            self.run_cell("%%holdfast\n1 / 0")

    def test_a_cell_answers_requests_for_input(self):
        import builtins

        asked, builtins.input = builtins.input, lambda prompt="": f"<{prompt}>"
        try:
            captured = self.run_cell("%%holdfast\ninput('Name')")
        finally:
            builtins.input = asked
        self.assertEqual(captured.outputs[0].data["text/plain"], "'<Name>'")

    def test_stopping_a_cell_interrupts_its_code(self):
        import _thread

        import holdfast.notebook as notebook

        show = notebook._show

        def stop(event):
            show(event)
            if event.type == "stdout":
                notebook._show = show
                _thread.interrupt_main()

        notebook._show = stop
        with capture_output() as captured:
            result = self.shell.run_cell("%%holdfast\nimport time\nprint('begun', flush=True)\ntime.sleep(600)")
        self.assertIsInstance(result.error_in_exec, KeyboardInterrupt)
        self.assertIn("begun", captured.stdout)
        newest = next(iter(self.shell.user_ns["session"].steps.list(order="desc")))
        self.assertEqual(newest.status, "interrupted")

    def test_a_session_and_its_results_show_themselves(self):
        session = self.shell.user_ns["session"]
        data, _ = self.shell.display_formatter.format(session)
        self.assertIn(session.id, data["text/html"])
        (result,) = session.run("from IPython.display import HTML\nHTML('<b>bold</b>')").results
        data, _ = self.shell.display_formatter.format(result)
        self.assertEqual(data["text/html"], "<b>bold</b>")
