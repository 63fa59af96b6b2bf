"""Performs one scenario of the table that all clients share: `python perform.py TABLE TITLE`."""

import asyncio
import json
import os
import sys
import urllib.request

from holdfast import AsyncHoldfast, ProblemError, Retries
from holdfast._decode import encode
from holdfast.errors import OperationError
from holdfast.models import Budget


class Performance:
    def __init__(self, session):
        self.session = session

    async def perform(self, action):
        verb = next(name for name in action if name not in ("expect", "refusal", "restart"))
        restart = action.get("restart")
        self.pieces, self.restart_after = 0, restart["after"] if restart else None
        if self.restart_after == 0:
            control("POST", "?afterMs=1000")
        try:
            result = await getattr(self, verb)(**action[verb])
        except ProblemError as problem:
            result = problem
        if restart:
            assert self.restart_after == 0 or self.pieces >= self.restart_after, "the server was not killed"
            control("GET")
        if "refusal" in action:
            assert isinstance(result, ProblemError), result
            check(action["refusal"], {"code": result.code, "status": result.status})
        elif isinstance(result, ProblemError):
            raise result
        elif "expect" in action:
            check(action["expect"], result)

    def count(self, event):
        """Every piece of output counts; the server is killed when there are enough."""
        if event.type in ("stdout", "stderr"):
            self.pieces += 1
            if self.pieces == self.restart_after:
                control("POST", "?afterMs=0")

    async def run(self, code, input=None, **options):
        if options.get("contextId") == "$context":
            options["contextId"] = self.context.id
        return await self.run_in(self.session, code, input, **options)

    async def run_in(self, session, code, input=None, **options):
        step = await session.run(code, on_event=self.count, **arguments(options, input))
        return {**encode(step), "text": step.text}

    async def stream(self, code, input=None, **options):
        events = []
        async with self.session.stream(code, **arguments(options, input)) as stream:
            async for event in stream:
                events.append(event)
                self.count(event)
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        return {**summary(events), "step": encode(stream.step)}

    async def process(self, command, write=None):
        process = await self.session.processes.start(command, stdin=write is not None)
        if write is not None:
            await process.write(write, end=True)
        return encode(await process.wait())

    async def streamProcess(self, command, sendSignal=None):
        process = await self.session.processes.start(command)
        events = []
        async with process.events() as stream:
            async for event in stream:
                events.append(event)
                self.count(event)
                if sendSignal and len(events) == 1:
                    await process.signal(sendSignal)
        seqs = [event.seq for event in events]
        assert seqs == sorted(set(seqs))
        return {**summary(events), "process": encode(events[-1].process)}

    async def writeFile(self, path, text, ifAbsent=False):
        return encode(await self.session.files.write(path, text, if_none_match="*" if ifAbsent else None))

    async def readFile(self, path):
        content = await self.session.files.read(path)
        return {"text": content.decode(), "bytes": len(content)}

    async def stat(self, path):
        return encode(await self.session.files.stat(path))

    async def listFiles(self, path=""):
        return {"paths": [entry.path for entry in await self.session.files.list(path)]}

    async def moveFile(self, to, **other):
        await self.session.files.move(other["from"], to)

    async def deleteFile(self, path):
        await self.session.files.delete(path)

    async def makeDirectory(self, path):
        await self.session.files.make_directory(path)

    async def answer(self, **answers):
        for name, value in answers.items():
            self.session.on_operation(name, answering(value))

    async def createContext(self, language):
        self.context = await self.session.contexts.create(language)
        return encode(self.context)

    async def completeCode(self, contextId, code, cursor):
        return encode(await self.session.contexts.complete(contextId, code, cursor))

    async def job(self, language, code, **options):
        return encode(await self.session.jobs.run(language, code, **options))

    async def jobs(self):
        return {"count": len([job async for job in self.session.jobs.list()])}

    async def snapshot(self):
        self.taken = await self.session.snapshots.create()
        return encode(self.taken)

    async def restore(self):
        return encode(await self.session.snapshots.restore(self.taken.id))

    async def fork(self, code, **options):
        (fork,) = await self.session.fork()
        async with fork:
            return await self.run_in(fork, code, **options)

    async def listProposals(self):
        open_ones = [proposal async for proposal in self.session.proposals.list(status="open")]
        paths = []
        for proposal in open_ones:
            paths += [change.path for change in (await self.session.proposals.get(proposal.id)).changes]
        return {"count": len(open_ones), "paths": paths}

    async def commitProposal(self, paths=None):
        return encode(await self.session.proposals.commit(await self.oldest_open(), paths=paths))

    async def rejectProposal(self, paths=None):
        return encode(await self.session.proposals.reject(await self.oldest_open(), paths=paths))

    async def oldest_open(self):
        return [proposal.id async for proposal in self.session.proposals.list(status="open")][0]

    async def reportUsage(self, **usage):
        return encode(await self.session.report_usage(**usage))

    async def usage(self):
        return encode(await self.session.usage())

    async def update(self, budget=None, **changes):
        limits = {"budget": Budget(**budget)} if budget else {}
        return encode(await self.session.update(**changes, **limits))

    async def events(self):
        types = {event.type async for event in self.session.events()}
        return {"types": sorted(types - {"queued"})}

    async def pause(self):
        await self.session.pause()
        return encode(self.session.record)

    async def resume(self):
        return encode(await self.session.resume())

    async def complete(self):
        return encode(await self.session.complete())

    async def refresh(self):
        return encode(await self.session.refresh())


def arguments(options, lines):
    """The options of a step, as the package names them. Lines answer requests for input."""
    names = {"contextId": "context_id", "timeoutSeconds": "timeout_seconds"}
    found = {names.get(name, name): value for name, value in options.items()}
    if lines is not None:
        rest = iter(lines)
        found["on_input"] = lambda event: next(rest)
    return found


def answering(value):
    def function(*_):
        if isinstance(value, dict) and "fail" in value:
            raise OperationError(value["fail"])
        return value

    return function


def summary(events):
    types = [event.type for event in events if event.type != "queued"]
    texts = {name: "".join(event.text for event in events if event.type == name) for name in ("stdout", "stderr")}
    return {"types": [kind for at, kind in enumerate(types) if at == 0 or types[at - 1] != kind], **texts}


def check(expected, found, place="result"):
    """Whether what was found contains what is expected. A field that is missing is as good as null."""
    if isinstance(expected, dict):
        assert isinstance(found, dict), f"{place} is {found!r}"
        for name, value in expected.items():
            check(value, found.get(name), f"{place}.{name}")
    elif isinstance(expected, list):
        assert isinstance(found, list) and len(found) == len(expected), f"{place} is {found!r}, not {expected!r}"
        for at, value in enumerate(expected):
            check(value, found[at], f"{place}[{at}]")
    else:
        assert found == expected, f"{place} is {found!r}, not {expected!r}"


def control(method, query=""):
    request = urllib.request.Request(os.environ["CONTROL_URL"] + query, method=method)
    urllib.request.urlopen(request).close()


async def main(table, title):
    with open(table, encoding="utf-8") as file:
        scenario = next(one for one in json.load(file)["scenarios"] if one["title"] == title)
    # A busy machine takes longer to start a server than a client waits by default.
    async with AsyncHoldfast(retries=Retries(limit=30)) as holdfast:
        session = await holdfast.sessions.create(**scenario.get("session", {}))
        performance = Performance(session)
        for action in scenario["actions"]:
            await performance.perform(action)
        await session.delete()
    print("performed")


if __name__ == "__main__":
    if asyncio.iscoroutinefunction(main):
        asyncio.run(main(*sys.argv[1:]))
    else:
        main(*sys.argv[1:])
