"""A program as users write it. It is checked with their type checker and never run."""

from __future__ import annotations

from typing import List, Optional

from holdfast import AsyncHoldfast, FileEntries, Holdfast, Retries
from holdfast.errors import Conflict, OperationError
from holdfast.models import Budget, InputRequestEvent, PolicyRules, Step, WorldRules


def answer(event: InputRequestEvent) -> Optional[str]:
    return None if event.password else event.prompt


def find(key: str) -> str:
    raise OperationError(f"no ticket {key}")


def main() -> None:
    policy = PolicyRules(world=WorldRules(read_only=True))
    with Holdfast(retries=Retries(limit=2)) as holdfast, holdfast.sessions.create(policy=policy, budget=Budget(iterations=3)) as session:
        session.on_operation("jira.get", find)
        step: Step = session.run("1", timeout_seconds=3, env={"REGION": "eu"}, on_input=answer)
        print(step.text, step.error.traceback if step.error else step.stdout)
        with session.stream("print(1)") as events:
            for event in events:
                if event.type == "stdout":
                    print(event.text)
                elif event.type == "result":
                    print(event.data)
                elif event.type == "finished":
                    print(event.step.status)
        for change in session.files.watch():
            if change.type == "created":
                print(change.path)
        for one in session.events():
            if one.type == "stdout":
                print(one.text, one.cursor)
        process = session.processes.start(["ls"], timeout_seconds=3)
        for output in process.events():
            if output.type == "stdout":
                print(output.text)
        entries: FileEntries = session.files.list()
        print(entries.truncated, entries[0].path)
        names: List[str] = [one.id for one in holdfast.sessions.list(status=["active"])]
        try:
            session.run("1", if_context_epoch=len(names))
        except Conflict as problem:
            print(problem.code == "state-reset", problem.detail)
        session.update(budget=None)


async def work() -> None:
    async with AsyncHoldfast() as holdfast, await holdfast.sessions.create() as session:
        async for event in session.stream("1"):
            if event.type == "error":
                print(event.traceback)
        async with await session.terminal() as terminal:
            async for output in terminal:
                print(output.bytes)
        for fork in await session.fork(2):
            print((await fork.run("1", language="python")).ok)
