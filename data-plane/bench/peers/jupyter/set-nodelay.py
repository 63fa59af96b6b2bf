"""Configuration for Jupyter Server that sets TCP_NODELAY on the WebSockets of kernels.

A step is answered by several small messages, one after the other. Tornado leaves Nagle's algorithm on, so the second one waits until the client
has acknowledged the first, and the client delays that by up to 40 ms.
"""

from jupyter_server.services.kernels.websocket import KernelWebsocketHandler

_open = KernelWebsocketHandler.open


async def _open_without_delay(self, *args, **kwargs):
    self.set_nodelay(True)
    return await _open(self, *args, **kwargs)


KernelWebsocketHandler.open = _open_without_delay
