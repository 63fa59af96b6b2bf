import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { SandboxFolder } from './sandbox-folder.ts';

export type AgentProgram = { node: string; agentMain: string };

const readyFd = 3;
const readyLineBytesMax = 1024;

/**
 * The first flag keeps code in the sandbox from opening a debugger in the agent with a signal. The next three halve the agent's memory; it collects
 * its garbage itself when it is idle. The last halves the time that large output takes: without a thread for it, marking the small heap
 * bit by bit costs more than doing it at once.
 */
const flags = [
  '--disable-sigusr1',
  '--single-threaded',
  '--max-semi-space-size=1',
  '--expose-gc',
  '--no-incremental-marking',
];

/**
 * Starts a session-agent in a process group of its own and waits until it reports the port on which it listens. After that it shares
 * nothing with this process, so it survives us.
 * @throws Error if the agent ends or reports something else, or `signal`'s reason; the process may then still run
 */
export async function startAgent(
  { node, agentMain }: AgentProgram,
  { folder, env, signal }: { folder: SandboxFolder; env: Record<string, string>; signal: AbortSignal },
): Promise<{ port: number; child: ChildProcess }> {
  const log = await folder.openLog();
  try {
    const child = spawn(node, [...flags, agentMain], {
      cwd: folder.workspace,
      env: { ...env, HOLDFAST_AGENT_PORT: '0', HOLDFAST_AGENT_READY_FD: String(readyFd) },
      detached: true,
      stdio: ['ignore', log.fd, log.fd, 'pipe'],
    });
    child.unref();
    return { port: await reportedPort(child, signal), child };
  } finally {
    await log.close();
  }
}

/** Settles with the first of these: the line with the port, the end of the process, the abort. */
async function reportedPort(child: ChildProcess, signal: AbortSignal): Promise<number> {
  const ready = child.stdio[readyFd] as Readable;
  const settled = new AbortController();
  try {
    const ended = once(child, 'exit', { signal: AbortSignal.any([signal, settled.signal]) }).then(
      ([code, killedBy]) => {
        throw new Error(`it ended with ${killedBy ?? `exit code ${code}`}`);
      },
    );
    return await Promise.race([readLine(ready).then((line) => (line === '' ? ended : parsePort(line))), ended]);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    settled.abort();
    ready.destroy();
  }
}

/** Reads one line. It is empty if the other side closes the pipe without writing. */
async function readLine(ready: Readable): Promise<string> {
  let line = '';
  for await (const chunk of ready) {
    line += chunk;
    if (line.includes('\n') || line.length > readyLineBytesMax) break;
  }
  return line;
}

function parsePort(line: string): number {
  const port = /^\{"port": ?(\d{1,5})\}\n$/.exec(line)?.[1];
  if (!port || Number(port) === 0 || Number(port) > 65_535) {
    throw new Error(`it reported no port but ${JSON.stringify(line.slice(0, 200))}`);
  }
  return Number(port);
}
