import asyncio
import unittest

from deepagents import create_deep_agent
from langchain_core.messages import ToolMessage
from test_langchain import calls, model

from holdfast import Holdfast
from holdfast.deepagents import HoldfastSandbox, session_backend
from holdfast.errors import HoldfastError


class Sandboxes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holdfast = Holdfast()
        cls.session = cls.holdfast.sessions.create()
        cls.sandbox = HoldfastSandbox(cls.session, output_bytes=2_000_000)
        cls.folder = cls.session.processes.run("mktemp -d").stdout.strip()

    @classmethod
    def tearDownClass(cls):
        cls.session.delete()
        cls.holdfast.close()

    def test_a_deep_agent_writes_runs_and_edits_a_program(self):
        path = f"{self.folder}/hello.py"
        scripted = model(
            calls(("write_file", {"file_path": path, "content": "print('hello')\n"})),
            calls(("execute", {"command": f"python3 {path}"})),
            calls(("edit_file", {"file_path": path, "old_string": "hello", "new_string": "goodbye"})),
            calls(("execute", {"command": f"python3 {path}; exit 3"}), ("ls", {"path": self.folder}), ("grep", {"pattern": "goodbye", "path": self.folder})),
            calls(("read_file", {"file_path": path}), ("glob", {"pattern": "*.py", "path": self.folder})),
            "It says goodbye.",
        )
        agent = create_deep_agent(model=scripted, backend=self.sandbox)
        messages = agent.invoke({"messages": [{"role": "user", "content": "Say hello, then goodbye."}]})["messages"]
        answers = [message for message in messages if isinstance(message, ToolMessage)]
        self.assertEqual([answer.status for answer in answers], ["success"] * 8)
        self.assertIn("hello", answers[1].content)
        self.assertIn("goodbye", answers[3].content)
        self.assertEqual(answers[3].artifact["exit_code"], 3)
        for answer in (answers[4], answers[5], answers[7]):
            self.assertIn("hello.py", answer.content)
        self.assertIn("print('goodbye')", answers[6].content)
        self.assertEqual(messages[-1].content, "It says goodbye.")

    def test_a_result_that_is_too_long_for_a_model_is_kept_in_a_file_that_it_can_read(self):
        kept = f"/tmp/deepagents-{self.session.id}/large_tool_results/call_0"
        scripted = model(
            calls(("execute", {"command": "seq 100000; echo last"})),
            calls(("execute", {"command": f"grep -x last {kept}"}), ("read_file", {"file_path": kept, "limit": 2}), ("grep", {"pattern": "last", "path": kept})),
            "It is long.",
        )
        agent = create_deep_agent(model=scripted, backend=session_backend(self.session))
        messages = agent.invoke({"messages": [{"role": "user", "content": "Count."}]})["messages"]
        self.addCleanup(self.session.processes.run, ["rm", "-r", f"/tmp/deepagents-{self.session.id}"])
        long, last, beginning, found = [message.content for message in messages if isinstance(message, ToolMessage)]
        self.assertIn(kept, long)
        self.assertNotIn("could not be saved", long)
        self.assertTrue(last.startswith("last\n"), last)
        self.assertIn("2", beginning)
        self.assertIn("call_0", found)

    def test_a_command_has_its_output_in_order_and_its_exit_code(self):
        response = self.sandbox.execute("echo out; echo err >&2; echo out; exit 3")
        self.assertEqual((response.output, response.exit_code, response.truncated), ("out\nerr\nout\n", 3, False))
        self.assertEqual(self.sandbox.execute("kill -9 $$").output, "The command was ended by SIGKILL.")
        self.assertNotEqual(self.sandbox.execute("no-such-command").exit_code, 0)
        self.assertEqual(self.sandbox.id, self.session.id)

    def test_a_timeout_stops_a_command(self):
        response = self.sandbox.execute("echo begun; sleep 60", timeout=1)
        self.assertEqual((response.output, response.exit_code), ("begun\n\nThe command was stopped after 1 s.", 124))

    def test_cancelling_kills_the_command(self):
        async def work():
            task = asyncio.ensure_future(self.sandbox.aexecute("sleep 61"))
            while not self.running():
                await asyncio.sleep(0.05)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task

        asyncio.run(work())
        while self.running():
            pass

    def running(self):
        return [one for one in self.session.processes.list(status="running") if one.command == "sleep 61"]

    def test_files_are_bytes_and_each_has_an_answer_of_its_own(self):
        content = bytes(range(256)) * 8192
        folder = self.folder
        inside = f"{self.sandbox.workspace}/deep/in the.workspace"
        self.assertEqual([one.error for one in self.sandbox.upload_files([(inside, b"here")])], [None])
        self.assertEqual(self.sandbox.execute("cat 'deep/in the.workspace'").output, "here")
        self.assertEqual([one.content for one in self.sandbox.download_files([inside])], [b"here"])
        uploads = self.sandbox.upload_files([(f"{folder}/deep/a.bin", content), ("relative.txt", b""), (folder, b""), ("/proc/nothing/b", b"")])
        self.assertEqual([one.path for one in uploads], [f"{folder}/deep/a.bin", "relative.txt", folder, "/proc/nothing/b"])
        self.assertEqual([one.error for one in uploads[:3]], [None, "invalid_path", "is_directory"])
        self.assertIsNotNone(uploads[3].error)
        paths = [f"{folder}/deep/a.bin", f"{folder}/missing", folder, "relative.txt"]
        downloads = self.sandbox.download_files(paths)
        self.assertEqual([one.error for one in downloads], [None, "file_not_found", "is_directory", "invalid_path"])
        self.assertEqual((downloads[0].content, downloads[1].content), (content, None))

    def test_large_output_is_whole_up_to_a_limit(self):
        response = self.sandbox.execute("head -c 1500000 /dev/zero | tr '\\0' x")
        self.assertEqual((len(response.output), response.truncated), (1_500_000, False))
        response = self.sandbox.execute("head -c 3000000 /dev/zero | tr '\\0' x")
        self.assertEqual((len(response.output), response.truncated), (2_000_000, True))

    def test_commands_run_in_parallel(self):
        async def work():
            return await asyncio.gather(*(self.sandbox.aexecute(f"sleep 0.2; echo {at}") for at in range(8)))

        self.assertEqual([one.output for one in asyncio.run(work())], [f"{at}\n" for at in range(8)])

    def test_a_session_that_is_gone_is_an_exception(self):
        other = self.holdfast.sessions.create()
        sandbox = HoldfastSandbox(other)
        other.delete()
        for work in (lambda: sandbox.execute("true"), lambda: sandbox.download_files(["/tmp/x"])):
            with self.assertRaises(HoldfastError):
                work()
