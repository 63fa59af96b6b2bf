import io
import tempfile
import unittest
import urllib.request
from pathlib import Path

from holdfast import AsyncHoldfast
from holdfast.errors import Conflict, NotFound
from holdfast.models import FileChangedEvent, FileReadyEvent


class Files(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.holdfast = AsyncHoldfast()
        self.session = await self.holdfast.sessions.create(files={"given.txt": "text", "given.bin": b"\x00\xff"})
        self.files = self.session.files

    async def asyncTearDown(self):
        await self.session.delete()
        await self.holdfast.aclose()

    async def test_files_given_at_creation_are_there(self):
        self.assertEqual(await self.files.read_text("given.txt"), "text")
        self.assertEqual(await self.files.read("given.bin"), b"\x00\xff")

    async def test_writes_and_reads_under_any_name(self):
        for path in ("a/b c.txt", "über #1?.csv", "100%.txt"):
            written = await self.files.write(path, "größe")
            self.assertEqual((written.path, written.size), (path, 7))
            self.assertEqual(await self.files.read_text(path), "größe")

    async def test_streams_a_large_file_both_ways(self):
        content = bytes(range(256)) * 8192
        written = await self.files.write("large.bin", io.BytesIO(content))
        self.assertEqual(written.size, len(content))
        pieces = [piece async for piece in self.files.pieces("large.bin")]
        self.assertGreater(len(pieces), 1)
        self.assertEqual(b"".join(pieces), content)

    async def test_streams_an_iterable(self):
        await self.files.write("pieces.txt", (part for part in (b"a", b"b", b"c")))
        self.assertEqual(await self.files.read("pieces.txt"), b"abc")

    async def test_downloads_to_a_path(self):
        with tempfile.TemporaryDirectory() as folder:
            await self.files.download("given.txt", Path(folder, "here.txt"))
            self.assertEqual(Path(folder, "here.txt").read_text(), "text")

    async def test_lists_stats_moves_and_deletes(self):
        await self.files.make_directory("folder")
        await self.files.make_directory("folder")
        await self.files.move("given.txt", "folder/moved.txt")
        self.assertEqual([entry.path for entry in await self.files.list("folder")], ["folder/moved.txt"])
        stat = await self.files.stat("folder/moved.txt")
        self.assertEqual((stat.kind, stat.size), ("file", 4))
        await self.files.delete("folder", recursive=True)
        self.assertIsNone(await self.files.stat("folder"))
        with self.assertRaises(NotFound):
            await self.files.read("folder/moved.txt")

    async def test_does_not_overwrite_a_change_of_another(self):
        written = await self.files.write("shared.txt", "one")
        await self.files.write("shared.txt", "two", if_match=written.sha256)
        for conditions in ({"if_match": written.sha256}, {"if_none_match": "*"}):
            with self.assertRaises(Conflict) as caught:
                await self.files.write("shared.txt", "three", **conditions)
            self.assertEqual(caught.exception.code, "precondition-failed")

    async def test_packs_and_unpacks_an_archive(self):
        archive = b"".join([piece async for piece in self.files.archive(format="zip")])
        other = await self.holdfast.sessions.create()
        unpacked = await other.files.unpack(archive, "copy", format="zip")
        self.assertEqual(unpacked.files, 2)
        self.assertEqual(await other.files.read_text("copy/given.txt"), "text")
        await other.delete()

    async def test_tells_changes(self):
        async with self.files.watch() as events:
            async for event in events:
                if isinstance(event, FileReadyEvent):
                    await self.session.run("open('new.txt', 'w').close()")
                elif isinstance(event, FileChangedEvent) and event.path == "new.txt":
                    break
        self.assertEqual(event.type, "created")

    async def test_the_url_of_an_artifact_is_a_whole_address(self):
        step = await self.session.run("open('made.txt', 'w').write('made')")
        (listed,) = [one async for one in self.session.records.artifacts(step_id=step.id, signed_seconds=60)]
        alone = await self.session.records.artifact(listed.id, signed_seconds=60)
        for artifact in (listed, alone):
            with urllib.request.urlopen(artifact.url) as answer:
                self.assertEqual(answer.read(), b"made")

    async def test_a_link_does_not_show_in_its_text(self):
        link = await self.files.link("given.txt", expires_seconds=60)
        self.assertIn("signature=", link.url)
        with urllib.request.urlopen(link.url) as answer:
            self.assertEqual(answer.read(), b"text")
        self.assertNotIn("signature=", repr(link))
