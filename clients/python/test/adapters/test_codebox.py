import asyncio
import inspect
import os
import tempfile
import unittest
from pathlib import Path

import codeboxapi
from codeboxapi.types import ExecResult, RemoteFile

from holdfast import Holdfast
from holdfast.codebox import CodeBox, CodeBoxOutput
from holdfast import codebox as module
from holdfast.errors import HoldfastError


class Surface(unittest.TestCase):
    def test_has_every_method_of_the_original_with_its_parameters(self):
        for original, ours in ((codeboxapi.CodeBox, CodeBox), (ExecResult, module.ExecResult), (RemoteFile, module.RemoteFile)):
            names = [name for name in vars(original) if not name.startswith("_")]
            self.assertGreater(len(names), 2)
            for name in names:
                member = inspect.unwrap(getattr(original, name))
                self.assertTrue(hasattr(ours, name), name)
                if not inspect.isfunction(member):
                    continue
                wanted = list(inspect.signature(member).parameters)
                self.assertEqual(list(inspect.signature(getattr(ours, name)).parameters)[: len(wanted)], wanted, name)
                if name not in ("stream_exec", "astream_exec"):
                    self.assertEqual(inspect.iscoroutinefunction(member), inspect.iscoroutinefunction(getattr(ours, name)), name)


class Boxes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.box = CodeBox(api_key="local")

    @classmethod
    def tearDownClass(cls):
        cls.box.stop()

    def test_runs_the_examples_of_the_original(self):
        box = self.box
        self.assertEqual(box.healthcheck(), "healthy")
        self.assertEqual(box.exec("print('Hello World!')").text, "Hello World!\n")
        file = box.upload("test1.txt", "This is test file content!")
        self.assertEqual((file.name, file.get_size(), file.get_content()), ("test1.txt", 26, b"This is test file content!"))
        self.assertIn("test1.txt", [one.path for one in box.list_files()])
        self.assertEqual(box.download("test1.txt").content, b"This is test file content!")
        self.assertEqual(box.exec("x = 1; x + 1").text, "2")
        self.assertEqual(box.show_variables()["x"], "1")
        self.assertEqual([chunk.type for chunk in box.stream_exec("print(1)\nimport sys\nprint(2, file=sys.stderr)\n1 / 0")], ["txt", "err", "err"])
        self.assertEqual(box.exec("echo $((6 * 7)); echo err >&2; exit 3", kernel="bash").chunks, [
            module.ExecChunk("txt", "42\n"), module.ExecChunk("err", "err\n"),
        ])  # fmt: skip
        self.assertIn("pip", box.list_packages())

    def test_runs_code_of_the_older_interface(self):
        with CodeBox() as box:
            self.assertEqual(box.status(), "running")
            output = box.run("print('Hello')")
            self.assertEqual((output, output.type, str(output)), ("Hello\n", "stdout", "Hello\n"))
            self.assertEqual(box.run("1 / 0").type, "stderr")
            image = box.run("class Dot:\n    def _repr_png_(self): return b'\\x89PNG'\nDot()")
            self.assertEqual(image, CodeBoxOutput("image/png", "iVBORw=="))
            box.restart()
            self.assertIn("NameError", box.run("Dot").content)
            session_id = box.session_id
        with Holdfast() as holdfast:
            self.assertNotIn(session_id, [session.id for session in holdfast.sessions.list(status=["active"])])

    def test_asynchronous_methods_work_in_one_event_loop_after_the_other(self):
        async def use(box):
            self.assertEqual(await box.ahealthcheck(), "healthy")
            await box.aupload("a.bin", bytes(range(256)))
            self.assertEqual(await (await box.adownload("a.bin")).aget_content(), bytes(range(256)))
            self.assertEqual((await box.aexec("count = globals().get('count', 0) + 1; count")).text, str(len(seen) + 1))
            self.assertEqual([one.content async for one in box.astream_exec("echo a", kernel="bash")], ["a\n"])
            self.assertIn("count", await box.ashow_variables())
            seen.append(box.session_id)

        seen = []
        box = CodeBox()
        asyncio.run(use(box))
        asyncio.run(use(box))
        self.assertEqual(len(set(seen)), 1)
        self.assertEqual(box.exec("count").text, "2")
        box.stop()
        with self.assertRaises(HoldfastError):
            CodeBox(session_id=seen[0]).start()

    def test_a_block_of_asynchronous_code_deletes_its_session(self):
        async def use():
            async with CodeBox() as box:
                self.assertEqual(str(await box.arun("6 * 7")), "42")
                return box.session_id

        with Holdfast() as holdfast, self.assertRaises(HoldfastError):
            holdfast.sessions.get(asyncio.run(use())).run("1")

    def test_a_box_that_was_opened_by_its_id_stays(self):
        self.box.start()
        with CodeBox(session_id=self.box.session_id) as other:
            self.assertTrue(other.exec("shared = 5").text == "")
        self.assertEqual(self.box.exec("shared").text, "5")

    def test_a_timeout_is_raised_and_the_state_stays(self):
        self.box.exec("kept = 1")
        for code, kernel in (("import time; time.sleep(60)", "ipython"), ("sleep 60", "bash")):
            with self.assertRaises(TimeoutError):
                self.box.exec(code, kernel=kernel, timeout=1)
        self.assertEqual(self.box.exec("kept").text, "1")

    def test_code_runs_in_a_directory_and_leaves_it_also_if_it_fails(self):
        self.box.session.files.make_directory("below")
        for code in ("import os\nos.path.basename(os.getcwd())", "1 / 0"):
            self.box.exec(code, cwd="below")
        self.assertEqual(self.box.exec("import os\nos.path.basename(os.getcwd())", cwd="below").text, "'below'")
        self.assertEqual(self.box.exec("basename $PWD", kernel="bash", cwd="below").text, "below\n")
        self.assertNotEqual(self.box.exec("os.path.basename(os.getcwd())").text, "'below'")
        self.assertEqual(self.box.exec("path.basename(process.cwd())", kernel="node", cwd="below").text, "'below'")
        self.assertNotEqual(self.box.exec("path.basename(process.cwd())", kernel="node").text, "'below'")
        for kernel in ("ipython", "node"):
            with self.assertRaises(NotADirectoryError):
                self.box.exec("1", kernel=kernel, cwd="missing")
        with self.assertRaises(ValueError):
            self.box.exec("1", kernel="ruby", cwd="below")

    def test_a_missing_file_and_large_output(self):
        with self.assertRaises(FileNotFoundError):
            self.box.download("missing.txt")
        self.assertEqual(len(self.box.exec("print('x' * 3_000_000)").text), 3_000_001)
        self.assertEqual(len(self.box.exec("head -c 3000000 /dev/zero | tr '\\0' x", kernel="bash").text), 3_000_000)

    def test_code_comes_from_files_and_content_goes_to_files(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "code.py").write_text("print('from a file')")
            self.assertEqual(self.box.exec(Path(folder, "code.py")).text, "from a file\n")
            self.box.upload("binary.bin", b"\xff\x00")
            self.box.download("binary.bin").save(os.path.join(folder, "saved"))
            self.assertEqual(Path(folder, "saved").read_bytes(), b"\xff\x00")

    def test_a_package_that_cannot_be_installed_is_an_error(self):
        with self.assertRaises(HoldfastError):
            self.box.install("--no-index", "no-such-package")
