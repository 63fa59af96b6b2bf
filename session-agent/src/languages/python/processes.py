"""Starts processes for the agent and tells it how they end. Messages are lines of JSON on fd 3; see holdfast_processes/.

To fork this small process takes a fraction of the time that it would take to fork the agent or to start an interpreter. All processes
stay below this one, which adopts orphans, so that `end` leaves none of them. They die with the agent: fd 3 ends then.
"""

from holdfast_kernel.agent.subreaper import adopt_orphans
from holdfast_processes.serve import serve

adopt_orphans()
serve()
