import type { ChildProcess } from 'node:child_process';
import { hostname } from 'node:os';
import type { Sandbox } from '../runtime.ts';
import { type RunningProcess, runningProcesses, startTime, variable } from './running-processes.ts';
import { sandboxFolder, unknownUid } from './sandbox-folder.ts';

/** A running session-agent, as its own environment describes it. */
export type LivingAgent = { name: string; uid: string; process: RunningProcess };

export type Observed = {
  sandboxesDir: string;
  owner: string;
  /** The sandboxes that are being launched now. They have a folder before they have a process. */
  launching: ReadonlyMap<string, Sandbox>;
  /** The agents that this process has started, by uid. */
  children: ReadonlyMap<string, ChildProcess>;
};

/** The session-agents of one control plane. A child that inherited its agent's whole environment is left out, because it is younger. */
export function livingAgents(owner: string, processes: readonly RunningProcess[]): LivingAgent[] {
  const agents = new Map<string, LivingAgent>();
  const oldestFirst = processes.toSorted((a, b) => a.startTicks - b.startTicks || a.pid - b.pid);
  for (const process of oldestFirst) {
    if (variable(process, 'HOLDFAST_SANDBOX_OWNER') !== owner) continue;
    const name = variable(process, 'HOLDFAST_SANDBOX_NAME');
    const uid = variable(process, 'HOLDFAST_SANDBOX_UID');
    if (name && uid && !agents.has(uid)) agents.set(uid, { name, uid, process });
  }
  return [...agents.values()];
}

/**
 * The sandboxes that live, and those of `names` that have only a folder left. The order of the reads makes the result exact: an incarnation
 * whose record was read is either among the launches, which are read next, or was started before the processes are read.
 */
export async function observeSandboxes(observed: Observed, names: readonly string[]): Promise<Sandbox[]> {
  const folders = await Promise.all(names.map((name) => folderSandbox(observed, name)));
  const launching = new Map(observed.launching);
  const agents = livingAgents(observed.owner, await runningProcesses()).filter(({ name }) => !launching.has(name));
  const living = await Promise.all(agents.map((agent) => livingSandbox(observed, agent)));
  const found = new Set([...launching.keys(), ...agents.map(({ name }) => name)]);
  const ended = folders.filter((sandbox) => sandbox !== null && !found.has(sandbox.name)) as Sandbox[];
  return [...launching.values(), ...living, ...ended];
}

async function livingSandbox({ sandboxesDir }: Observed, { name, uid, process }: LivingAgent): Promise<Sandbox> {
  const record = await sandboxFolder(sandboxesDir, name).read();
  const endpoint = record?.uid === uid ? record.endpoint : null;
  const createdAt = await startTime(process);
  return { name, uid, node: hostname(), endpoint, phase: endpoint ? 'running' : 'starting', createdAt };
}

/** The sandbox of a folder without a process: it has ended. */
async function folderSandbox({ sandboxesDir, children }: Observed, name: string): Promise<Sandbox | null> {
  const folder = sandboxFolder(sandboxesDir, name);
  const createdAt = await folder.createdAt();
  if (!createdAt) return null;
  const uid = (await folder.read())?.uid ?? unknownUid;
  const cause = { reason: 'sandbox_exited', message: ending(children.get(uid)) } as const;
  return { name, uid, node: hostname(), endpoint: null, phase: 'ended', createdAt, cause };
}

function ending(child: ChildProcess | undefined): string {
  if (child?.signalCode) return `the session-agent was ended by ${child.signalCode}`;
  if (typeof child?.exitCode === 'number') return `the session-agent ended with exit code ${child.exitCode}`;
  return 'the session-agent is gone';
}
