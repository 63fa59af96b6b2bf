import { setTimeout as delay } from 'node:timers/promises';
import { client } from '../support/start-holdfast.ts';
import type { Stage } from './faults/fault.ts';
import type { Deployment } from './stage/deployment.ts';
import { processesBySandbox } from './stage/processes.ts';
import { connectionsTo, residentMb } from './stage/resources.ts';
import { epochOfPod, sessionOfPod } from './stage/sandboxes.ts';

const restMs = 120_000;
const residentMbMax = 512;
const agentPort = 8700;

/** Waits until `unrest` finds nothing. Returns the last of it if the time is over. */
export async function waitForRest(unrest: () => Promise<string[]>): Promise<string[]> {
  for (const deadline = Date.now() + restMs; ; await delay(500)) {
    const found = await unrest().catch((error) => [String(error)]);
    if (found.length === 0 || Date.now() > deadline) return found;
  }
}

/** All that must still change after the faults: replicas that are not ready, steps without an end, sessions on their way, sandboxes to remove. */
export async function findUnrest(stage: Stage): Promise<string[]> {
  const unrest: string[] = [];
  const live = new Map<string, number>();
  for (const { role, replicas } of stage.deployments) {
    for (const { name, current } of replicas) {
      const { status, body } = await client(current.url).request('GET', '/readyz');
      if (status !== 200) unrest.push(`replica ${name} is not ready: ${JSON.stringify(body)}`);
    }
    const run = (statement: string) => stage.postgres.admin(statement, role);
    for (const { id, status } of await run('select id, status from steps where finished_at is null')) {
      unrest.push(`step ${id} is still ${status}`);
    }
    for (const { id, status, epoch } of await run('select id, status, epoch from sessions where ended_at is null')) {
      live.set(String(id), Number(epoch));
      if (status !== 'active') unrest.push(`session ${id} is still ${status}`);
    }
  }
  const pods = stage.sandboxes.fake.pods.all();
  const running = new Set(
    pods.filter(({ status }) => status.phase === 'Running').map((pod) => sessionOfPod(pod.metadata.name)),
  );
  for (const id of live.keys()) if (!running.has(id)) unrest.push(`session ${id} has no sandbox that runs`);
  for (const { metadata } of pods) {
    const epoch = live.get(sessionOfPod(metadata.name));
    if (epoch === undefined) unrest.push(`sandbox ${metadata.name} belongs to no live session`);
    else if (epoch > epochOfPod(metadata.name)) unrest.push(`sandbox ${metadata.name} is of an earlier epoch`);
  }
  return unrest;
}

/** Ends every session as a client would. */
export async function deleteSessions({ replicas }: Deployment, ids: readonly string[]): Promise<void> {
  const url = replicas[0]?.current.url ?? '';
  for (const id of ids) await client(url).request('DELETE', `/v1/sessions/${id}`);
}

/** After every session was deleted: pods, processes, rows, connections and memory that are still there. */
export async function findLeftovers(stage: Stage): Promise<string[]> {
  const left: string[] = stage.sandboxes.fake.pods.all().map(({ metadata }) => `pod ${metadata.name}`);
  const bySandbox = await processesBySandbox();
  for (const uid of stage.sandboxes.started.keys()) {
    const count = bySandbox.get(uid)?.length ?? 0;
    if (count > 0) left.push(`${count} processes of sandbox ${uid}`);
  }
  for (const { role, name, replicas } of stage.deployments) {
    const rows = await stage.postgres.admin('select id, status from sessions', role);
    left.push(...rows.map(({ id, status }) => `session ${id} of ${name}, ${status}`));
    for (const { name: replica, current } of replicas) {
      const [connections, memory] = [await connectionsTo(current.pid, agentPort), await residentMb(current.pid)];
      if (connections > 0) left.push(`${connections} connections of ${replica} to agents`);
      if (memory > residentMbMax) left.push(`${memory} MiB of memory in ${replica}`);
    }
  }
  return left;
}
