import unittest

from holdfast import AsyncHoldfast
from holdfast.models import Budget, FinishedEvent, PolicyRules, SessionEntryEvent, WorldRules


class SessionParts(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.holdfast = AsyncHoldfast()
        self.session = await self.holdfast.sessions.create()

    async def asyncTearDown(self):
        await self.session.delete()
        await self.holdfast.aclose()

    async def test_contexts_keep_names_apart(self):
        other = await self.session.contexts.create("python")
        await self.session.run("x = 1")
        await self.session.run("x = 2", context_id=other.id)
        self.assertEqual((await self.session.run("x")).text, "1")
        await self.session.contexts.restart(other.id)
        self.assertEqual((await self.session.run("x", context_id=other.id)).error.name, "NameError")
        self.assertIn(other.id, [one.id for one in await self.session.contexts.list()])
        await self.session.contexts.delete(other.id)

    async def test_helps_an_editor(self):
        await self.session.run("number = 5")
        completions = await self.session.contexts.complete("python", "numb")
        self.assertIn("number", [match.text for match in completions.matches])
        self.assertTrue((await self.session.contexts.inspect("python", "print")).found)
        self.assertEqual((await self.session.contexts.parse("python", "for x in y:")).status, "incomplete")

    async def test_a_job_runs_in_a_session_of_its_own(self):
        job = await self.holdfast.run_job("bash", "cat input.txt; exit 3", files={"input.txt": b"bytes"})
        self.assertEqual((job.exit_code, job.stdout), (3, "bytes"))
        self.assertIn("input.txt", job.artifacts.inputs)

    async def test_a_job_runs_in_the_workspace(self):
        job = await self.session.jobs.run("python", "open('made.txt', 'w').write('x'); print('done')")
        self.assertEqual((job.exit_code, job.stdout, list(job.artifacts.outputs)[0]), (0, "done\n", "made.txt"))
        self.assertEqual(await self.session.files.read("made.txt"), b"x")
        self.assertEqual([one.id async for one in self.session.jobs.list()], [job.id])

    async def test_a_snapshot_is_restored_and_forked(self):
        await self.session.run("x = [1]")
        snapshot = await self.session.snapshots.create()
        self.assertIn("x", [one.name for one in snapshot.saved])
        await self.session.run("x.append(2)")
        await self.session.snapshots.restore(snapshot.id)
        self.assertEqual((await self.session.run("x")).text, "[1]")
        forks = await self.session.fork(2, snapshot_id=snapshot.id, metadata={"of": "fork"})
        for fork in forks:
            self.assertEqual((await fork.run("x.append(fork) if 'fork' in globals() else x")).text, "[1]")
            await fork.delete()
        self.assertEqual(len(forks), 2)

    async def test_changes_of_files_wait_as_proposals(self):
        policy = PolicyRules(world=WorldRules(proposal_mode=True))
        session = await self.holdfast.sessions.create(policy=policy)
        step = await session.run("open('report.md', 'w').write('# Hi\\n')")
        self.assertEqual(step.outcome.tag, "proposed")
        (proposal,) = [one async for one in session.proposals.list(status="open")]
        self.assertIn("+# Hi", (await session.proposals.get(proposal.id)).changes[0].diff)
        self.assertEqual((await session.proposals.commit(proposal.id)).status, "committed")
        await session.delete()

    async def test_a_budget_is_charged(self):
        session = await self.holdfast.sessions.create(budget=Budget(iterations=5, tokens=100))
        left = await session.report_usage(tokens=30)
        self.assertEqual((left.tokens, left.iterations), (70, 5))
        step = await session.run("1")
        self.assertEqual(step.budget_remaining.iterations, 4)
        self.assertGreater((await session.usage()).cpu_seconds, 0)
        await session.delete()

    async def test_the_stream_of_a_session_has_every_actor(self):
        await self.session.run("1", actor="user", actor_name="Ada")
        await self.session.complete()
        events = [event async for event in self.session.events()]
        finished = [event for event in events if isinstance(event, FinishedEvent)]
        self.assertEqual([(event.actor, event.actor_name) for event in finished], [("user", "Ada")])
        self.assertTrue(any(isinstance(event, SessionEntryEvent) for event in events))
        cursors = [event.cursor for event in events]
        rest = [event async for event in self.session.events(after=cursors[-3])]
        self.assertEqual([event.cursor for event in rest], cursors[-2:])

    async def test_pauses_and_resumes(self):
        await self.session.run("x = 7")
        paused = await self.session.pause()
        self.assertEqual((paused.status, self.session.record.status), ("paused", "paused"))
        await self.session.resume()
        self.assertEqual((await self.session.run("x")).text, "7")

    async def test_exports_what_it_ran(self):
        await self.session.run("x = 7")
        exported = await self.session.records.export()
        self.assertEqual([step.code for step in exported.steps], ["x = 7"])
        self.assertIn("x = 7", await self.session.records.export_source())
        again = await self.holdfast.sessions.create(from_export=exported)
        self.assertEqual((await again.run("x")).text, "7")
        await again.delete()

    async def test_a_share_link_does_not_show_its_token(self):
        share = await self.session.shares.create("run", expires_seconds=60, name="Ada")
        self.assertTrue(share.token.startswith("hfs_"))
        self.assertNotIn("hfs_", repr(share))
        self.assertEqual([one.id async for one in self.session.shares.list()], [share.id])
        await self.session.shares.revoke(share.id)

    async def test_describes_itself_to_a_notebook(self):
        data, _ = self.session._repr_mimebundle_()
        self.assertIn(self.session.id, data["text/html"])
        data, _ = (await self.session.run("print('<b>'); 'x'"))._repr_mimebundle_()
        self.assertEqual(data["text/plain"], "<b>\n'x'")
        self.assertIn("&lt;b&gt;", data["text/html"])
