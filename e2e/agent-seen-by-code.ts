/**
 * Python that shows how much of the session-agent is open to code under the same user id: the files of /proc that code can open, and whether
 * the agent catches SIGUSR1, at which Node would start its debugger.
 */
export const agentSeenByCode = `
import glob, os
def is_agent(path):
    try: return b"/agent/agent.mjs" in open(path, "rb").read().split(b"\\0")[-2:-1][0]
    except (OSError, IndexError): return False
def opens(path, flags):
    try: os.close(os.open(path, flags)); return True
    except PermissionError: return False
agents = [os.path.dirname(path) for path in glob.glob("/proc/[0-9]*/cmdline") if is_agent(path)]
agents = [path for path in agents if open(path + "/comm").read().strip() != "tini"]
caught = int(next(line for line in open(agents[0] + "/status") if line.startswith("SigCgt")).split()[1], 16)
show({"agents": len(agents), "catchesDebuggerSignal": bool(caught >> 9 & 1),
      "readable": [name for name, flags in (("environ", 0), ("maps", 0), ("mem", 0), ("mem", 2)) if opens(agents[0] + "/" + name, flags)]})`;
