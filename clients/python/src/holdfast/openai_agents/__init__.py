"""Sessions for the OpenAI Agents SDK: tools of an agent, and the sandbox of a `SandboxAgent`.

```python
from agents import Agent, Runner
from holdfast import AsyncHoldfast
from holdfast.openai_agents import code_interpreter, shell

async with AsyncHoldfast() as holdfast, await holdfast.sessions.create() as session:
    agent = Agent("Analyst", tools=[code_interpreter(session), shell(session)])
    result = await Runner.run(agent, "How many primes are below 1000?")
```
"""

from .sandbox import HoldfastSandboxClient, HoldfastSandboxOptions, HoldfastSandboxSession, HoldfastSandboxState
from .tools import code_interpreter, session_tools, shell

__all__ = [
    "HoldfastSandboxClient",
    "HoldfastSandboxOptions",
    "HoldfastSandboxSession",
    "HoldfastSandboxState",
    "code_interpreter",
    "session_tools",
    "shell",
]
