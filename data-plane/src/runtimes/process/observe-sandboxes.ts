import type { ChildProcess } from 'node:child_process';
import { hostname } from 'node:os';
import type { Sandbox } from '../runtime.ts';
import { type RunningProcess, runningProcesses, startTime, variable } from './running-processes.ts';
import { sandboxFolder, unknownUid } from './sandbox-folder.ts';

/** A running session-agent, as its own environment describes it. */
export type LivingAgent = { name: string; uid: string; isUnidentified: boolean; process: RunningProcess };

/** The owner of agents: `place` stands for the data directory and the deployment. */
export type ProcessOwner = { place: string; database: string };

export type Observed = {
  sandboxesDir: string;
  owner: ProcessOwner;
  /** The sandboxes that are being launched now. They have a folder before they have a process. */
  launching: ReadonlyMap<string, Sandbox>;
  /** The agents that this process has started, by uid. */
  children: ReadonlyMap<string, ChildProcess>;
};

/** The session-agents of this owner. A child that inherited its agent's whole environment is left out, because it is younger. */
export function livingAgents(owner: ProcessOwner, processes: readonly RunningProcess[]): LivingAgent[] {
  const agents = new Map<string, LivingAgent>();
  const oldestFirst = processes.toSorted((a, b) => a.startTicks - b.startTicks || a.pid - b.pid);
  for (const process of oldestFirst) {
    if (!isOurs(owner, process)) continue;
    const name = variable(process, 'HOLDFAST_SANDBOX_NAME');
    const uid = variable(process, 'HOLDFAST_SANDBOX_UID');
    if (name && uid && !agents.has(uid))
      agents.set(uid, { name, uid, isUnidentified: databaseOf(process) === null, process });
  }
  return [...agents.values()];
}

const databaseOf = (process: RunningProcess) => variable(process, 'HOLDFAST_SANDBOX_DATABASE');

/** Whether an agent is of this owner. An agent of an earlier version does not carry a database. Pure. */
const isOurs = ({ place, database }: ProcessOwner, process: RunningProcess): boolean =>
  variable(process, 'HOLDFAST_SANDBOX_OWNER') === place && (databaseOf(process) ?? database) === database;

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

async function livingSandbox(
  { sandboxesDir }: Observed,
  { name, uid, isUnidentified, process }: LivingAgent,
): Promise<Sandbox> {
  const record = await sandboxFolder(sandboxesDir, name).read();
  const endpoint = record?.uid === uid ? record.endpoint : null;
  const createdAt = await startTime(process);
  const phase = endpoint ? 'running' : 'starting';
  return { name, uid, node: hostname(), endpoint, phase, createdAt, ...(isUnidentified && { isUnidentified }) };
}

/** The sandbox of a folder without a process: it has ended. A folder without a record was never used, so it is anyone's. */
async function folderSandbox({ sandboxesDir, owner, children }: Observed, name: string): Promise<Sandbox | null> {
  const folder = sandboxFolder(sandboxesDir, name);
  const createdAt = await folder.createdAt();
  if (!createdAt) return null;
  const record = await folder.read();
  if ((record?.database ?? owner.database) !== owner.database) return null;
  const uid = record?.uid ?? unknownUid;
  const cause = { reason: 'sandbox_exited', message: ending(children.get(uid)) } as const;
  const isUnidentified = record !== null && record.database === undefined;
  const ended = { name, uid, node: hostname(), endpoint: null, phase: 'ended', createdAt, cause } as const;
  return { ...ended, ...(isUnidentified && { isUnidentified }) };
}

function ending(child: ChildProcess | undefined): string {
  if (child?.signalCode) return `the session-agent was ended by ${child.signalCode}`;
  if (typeof child?.exitCode === 'number') return `the session-agent ended with exit code ${child.exitCode}`;
  return 'the session-agent is gone';
}
