"""Host operations: calls of the session's code that the application answers."""

from __future__ import annotations

import json
from typing import Any, AsyncIterator, Callable, Dict, Optional

from .. import _requests as requests
from ..errors import Conflict, InvalidRequest
from ..models import Operation, OperationRequestEvent
from .driver import result_of
from .transport import AsyncTransport

# A character is up to two of the units that the service counts.
MESSAGE_CHARACTERS = 32_768
NAME_CHARACTERS = 64


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
                # A value that is not JSON is a fault of the function, and the code must not wait for it.
                json.dumps(value, allow_nan=False)
            except Exception as error:
                await self._raise(event, error)
            else:
                try:
                    await self.answer(event.operation_id, value)
                except InvalidRequest as refused:
                    # Too large, for example.
                    await self._raise(event, refused)
        except Conflict as conflict:
            # The step has ended meanwhile.
            if conflict.code != "operation-ended":
                raise
        return True

    async def _raise(self, event: OperationRequestEvent, error: Exception) -> None:
        name = type(error).__name__
        await self.fail(event.operation_id, (str(error) or name)[:MESSAGE_CHARACTERS], name=name[:NAME_CHARACTERS])

    async def _send(self, operation_id: str, body: Dict[str, Any]) -> Operation:
        request = requests.Request("POST", self._path(operation_id, "result"), json=body, repeatable=True)
        return await self._transport.fetch(Operation, request)

    def _path(self, *parts: str) -> str:
        return requests.session_path(self._session_id, "operations", *parts)
