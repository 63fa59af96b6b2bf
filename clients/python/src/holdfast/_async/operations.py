"""Host operations: calls of the session's code that the application answers."""

from __future__ import annotations

import json
import logging
from typing import Any, AsyncIterator, Callable, Dict, Optional

from .. import _requests as requests
from ..errors import Conflict, InvalidRequest, OperationError
from ..models import Operation, OperationRequestEvent
from .driver import result_of
from .transport import AsyncTransport

# A character is up to two of the units that the service counts.
MESSAGE_CHARACTERS = 32_768
NAME_CHARACTERS = 64
log = logging.getLogger("holdfast")


class AsyncOperations:
    """The calls of code that the application answers."""

    def __init__(self, transport: AsyncTransport, session_id: str) -> None:
        self._transport = transport
        self._session_id = session_id
        self.functions: Dict[str, Callable[..., Any]] = {}
        """By the name of the operation. See `session.on_operation`."""

    def list(self, *, status: Optional[str] = None) -> AsyncIterator[Operation]:
        """The operations that code called, or with `status="pending"` those that wait."""
        return self._transport.pages(Operation, requests.get(self._path(), status=status))

    async def answer(self, operation_id: str, value: Any, *, usage: Optional[Dict[str, Any]] = None) -> Operation:
        """Returns a value to the code that waits. `usage` charges the budget: `{"tokens": 12, "cost": "0.01"}`."""
        return await self._send(operation_id, {"value": value, **({"usage": usage} if usage else {})})

    async def fail(self, operation_id: str, message: str, *, name: Optional[str] = None) -> Operation:
        """Raises an error in the code that waits."""
        return await self._send(operation_id, {"error": {"message": message, **({"name": name} if name else {})}})

    async def serve(self, event: OperationRequestEvent) -> bool:
        """Answers the call with the function for its name. False if there is none."""
        function = self.functions.get(event.name)
        if function is None:
            return False
        try:
            try:
                value = await result_of(function, event.arguments)
            except OperationError as error:
                await self.fail(event.operation_id, error.message[:MESSAGE_CHARACTERS], name=error.name[:NAME_CHARACTERS])
            except Exception:
                # Its text may have secrets of the host, which are not for the code.
                log.exception("the function for the operation %s has failed", event.name)
                await self.fail(event.operation_id, "the function of the host has failed")
            else:
                await self._give(event, value)
        except Conflict as conflict:
            # The step has ended meanwhile.
            if conflict.code != "operation-ended":
                raise
        return True

    async def _give(self, event: OperationRequestEvent, value: Any) -> None:
        # The code must not wait for a value that cannot be sent.
        try:
            json.dumps(value, allow_nan=False)
            await self.answer(event.operation_id, value)
        except (TypeError, ValueError, RecursionError, InvalidRequest):
            log.exception("the function for the operation %s has given a value that cannot be sent", event.name)
            await self.fail(event.operation_id, "the answer of the host is too large, or not JSON", name="TypeError")

    async def _send(self, operation_id: str, body: Dict[str, Any]) -> Operation:
        request = requests.Request("POST", self._path(operation_id, "result"), json=body, repeatable=True)
        return await self._transport.fetch(Operation, request)

    def _path(self, *parts: str) -> str:
        return requests.session_path(self._session_id, "operations", *parts)
