"""The kernel's side of a comm, as `comm.create_comm` makes it: its messages go to the agent. Loaded when `comm` is imported."""

import base64
import warnings

from comm.base_comm import BaseComm

from ..agent import channel
from ..show.bounded_bundle import bundle_bytes_max
from ..show.display import send_in_order
from ..streams import late_output
from .json_values import json_value
from .parent import Parent

_kinds = {'comm_open': 'open', 'comm_msg': 'message', 'comm_close': 'close'}


class KernelComm(BaseComm):
    kernel = Parent()

    def publish_msg(self, msg_type, data=None, metadata=None, buffers=None, target_name=None, **_keys):
        step_id = late_output.step_of_output()
        if step_id is None:
            return
        message = {
            'type': 'comm',
            'stepId': step_id,
            'commId': self.comm_id,
            'kind': _kinds[msg_type],
            'targetName': target_name,
            'data': json_value({} if data is None else data),
            'metadata': json_value(metadata or {}),
            'buffers': [base64.b64encode(buffer).decode('ascii') for buffer in buffers or ()],
        }
        size = len(channel.json_of(message))
        if size > bundle_bytes_max:
            # The code goes on, as it does if a result is too large.
            warnings.warn('a comm message of %d bytes is too large to be sent' % size, RuntimeWarning, stacklevel=4)
            return
        if late_output.late_step() is None:
            send_in_order(message)
        else:
            channel.send(message)
