import { readFileSync } from 'node:fs';
import type { Holdfast } from '../support/start-holdfast.ts';

/** The process of the session-agent that runs the session's Python kernel. */
export async function agentOf(holdfast: Holdfast, sessionId: string): Promise<number> {
  const { results } = await holdfast.runStep(sessionId, { code: 'import os\nos.getpid()' });
  let pid = Number(results[0]?.data['text/plain']);
  while (!/node.*session-agent/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))) {
    pid = Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
    if (pid <= 1) throw new Error('the kernel has no agent above it');
  }
  return pid;
}

/** Kills the session-agent, and with it the sandbox. */
export async function killSandbox(holdfast: Holdfast, sessionId: string): Promise<void> {
  process.kill(await agentOf(holdfast, sessionId), 'SIGKILL');
}
