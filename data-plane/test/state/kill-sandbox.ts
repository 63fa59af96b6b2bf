import { readFileSync } from 'node:fs';
import type { Holdfast } from '../support/start-holdfast.ts';

/** Code that prints the process that runs it. */
const printsPid = { python: 'import os\nprint(os.getpid())', node: 'console.log(process.pid)', bash: 'echo $$' };

/** The process of the session-agent that runs the kernel of the session's default context. */
export async function agentOf(
  holdfast: Holdfast,
  sessionId: string,
  language: keyof typeof printsPid = 'python',
): Promise<number> {
  const { stdout } = await holdfast.runStep(sessionId, { code: printsPid[language] });
  let pid = Number(stdout);
  while (!/node.*session-agent/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8')) || isKernel(pid)) {
    pid = Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
    if (pid <= 1) throw new Error('the kernel has no agent above it');
  }
  return pid;
}

/** The Node kernel is a program of the same folder. */
const isKernel = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('languages/node/main.js');

/** Kills the session-agent, and with it the sandbox. */
export async function killSandbox(holdfast: Holdfast, sessionId: string): Promise<void> {
  process.kill(await agentOf(holdfast, sessionId), 'SIGKILL');
}
