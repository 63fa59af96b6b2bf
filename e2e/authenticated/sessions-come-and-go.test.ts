import { beforeAll, expect, test } from 'vitest';
import { eventually } from '../../data-plane/test/support/eventually.ts';
import { amounts } from '../amounts.ts';
import type { Holdfast } from '../cluster/connect-holdfast.ts';
import { deployment, installHoldfast } from '../cluster/install-holdfast.ts';
import { kubectl } from '../cluster/kubectl.ts';
import { holdfastNamespace } from '../cluster/namespaces.ts';
import { type NodeShell, startNodeShell } from '../cluster/node-shell.ts';
import { livingPods, replicaPods } from '../cluster/pods.ts';
import { registryRows } from '../cluster/registry-rows.ts';

let holdfast: Holdfast;
beforeAll(async () => {
  holdfast = await installHoldfast();
  return holdfast.close;
});

let node: NodeShell;
beforeAll(async () => {
  node = await startNodeShell();
  return node.remove;
});

test(`${amounts.sessions} sessions, 20 at a time, leave no pod, row, socket or process`, {
  timeout: 900_000,
}, async () => {
  await eventually(async () => expect(await traces()).toEqual(nothing), 60_000);
  let rest = amounts.sessions;
  let served = 0;
  let most = nothing;
  const oneAfterTheOther = async () => {
    while (rest-- > 0) {
      const { id } = await holdfast.createSession();
      try {
        expect(await holdfast.runStep(id, { code: 'print("here")' })).toMatchObject({ stdout: 'here\n' });
        // Proves that the traces exist while sessions live, so that their absence means something.
        if (++served === Math.ceil(amounts.sessions / 2)) most = await traces();
      } finally {
        const { status } = await holdfast.request('DELETE', `/v1/sessions/${id}`);
        expect([202, 204]).toContain(status);
      }
    }
  };
  const all = Array.from({ length: Math.min(20, amounts.sessions) }, oneAfterTheOther);
  await Promise.allSettled(all);
  await Promise.all(all);
  for (const [trace, count] of Object.entries(most)) expect([trace, count > 0]).toEqual([trace, true]);
  const deletedAt = performance.now();
  await eventually(async () => expect(await traces()).toEqual(nothing), 60_000);
  console.log(`nothing was left ${Math.round((performance.now() - deletedAt) / 1000)} s after the last deletion`);
});

type Traces = { pods: number; rows: number; sockets: number; processes: number };
const nothing: Traces = { pods: 0, rows: 0, sockets: 0, processes: 0 };

const tables = ['sessions', 'session_routes', 'steps', 'contexts', 'warm_sandboxes'];

async function traces(): Promise<Traces> {
  const [pods, rows, sockets, processes] = await Promise.all([
    livingPods(),
    Promise.all(tables.map(async (table) => Number((await registryRows(`select count(*) from ${table}`))[0]))),
    agentSockets(),
    node.countStartedWith(`HOLDFAST_AGENT_ISSUER=${deployment}`),
  ]);
  return { pods: pods.length, rows: rows.reduce((a, b) => a + b), sockets, processes };
}

/** The number of the data-plane's connections to agents' ports, in any state. */
async function agentSockets(): Promise<number> {
  const tables = await Promise.all(
    (await replicaPods()).map(({ metadata }) =>
      kubectl(['-n', holdfastNamespace, 'exec', metadata.name, '--', 'cat', '/proc/net/tcp', '/proc/net/tcp6']),
    ),
  );
  const agentPort = (8700).toString(16).toUpperCase();
  const states = tables.flatMap((table) => table.split('\n').map((line) => line.trim().split(/\s+/)));
  // The third column is the remote address, the fourth the state. 06 is TIME_WAIT, a state without a socket.
  return states.filter(([, , remote, state]) => remote?.endsWith(`:${agentPort}`) && state !== '06').length;
}
