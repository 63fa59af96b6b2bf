"""Programs that run once, in a process of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, AsyncIterator, Dict, Optional

from .. import _requests as requests
from ..models import Job, JobOptions
from .transport import AsyncTransport

if TYPE_CHECKING:
    from typing_extensions import Unpack

WAIT_SECONDS = 30


class AsyncJobs:
    """Programs that run once in the workspace of the session."""

    def __init__(self, transport: AsyncTransport, session_id: str) -> None:
        self._transport = transport
        self._session_id = session_id

    async def run(self, language: str, code: str, *, inline: bool = True, **options: Unpack[JobOptions]) -> Job:
        """Runs a program in the workspace of the session and waits for its end. `inline` adds its output. See `JobOptions`."""
        return await run_job(self._transport, self._path(), {"language": language, "code": code, **options}, inline)

    async def start(self, language: str, code: str, **options: Unpack[JobOptions]) -> Job:
        """Starts a program without waiting for it."""
        body = {"language": language, "code": code, "wait": False, **options}
        return await self._transport.fetch(Job, requests.create(self._path(), body))

    async def get(self, job_id: str, *, inline: bool = True) -> Job:
        """The job as it is now."""
        return await self._transport.fetch(Job, requests.get(self._path(job_id), inline=inline))

    async def wait(self, job_id: str, *, inline: bool = True) -> Job:
        """Waits for the end of a job. It can also be followed and interrupted as a step: `session.steps.follow(job_id)`."""
        return await wait_for_job(self._transport, self._session_id, job_id, inline)

    def list(self, *, order: Optional[str] = None, inline: bool = False) -> AsyncIterator[Job]:
        """All jobs of the session, oldest first, or newest first with `order="desc"`."""
        return self._transport.pages(Job, requests.get(self._path(), order=order, inline=inline))

    def _path(self, *parts: str) -> str:
        return requests.session_path(self._session_id, "jobs", *parts)


async def run_job(transport: AsyncTransport, path: str, body: Dict[str, Any], inline: bool) -> Job:
    job = await transport.fetch(Job, requests.create(path, {**body, "wait": False}))
    return await wait_for_job(transport, job.session_id, job.id, inline)


async def wait_for_job(transport: AsyncTransport, session_id: str, job_id: str, inline: bool) -> Job:
    path = requests.session_path(session_id, "jobs", job_id)
    while True:
        job = await transport.fetch(Job, requests.get(path, wait_seconds=WAIT_SECONDS, inline=inline))
        if job.status not in ("queued", "running"):
            return job
