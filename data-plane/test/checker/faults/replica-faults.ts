import { replicaStaleSeconds } from '../../../src/registry/replicas/beat-replica.ts';
import { eventually } from '../../support/eventually.ts';
import { type Replica, stepGraceSeconds, stepTimeoutSeconds } from '../stage/deployment.ts';
import { freeze } from '../stage/processes.ts';
import type { Fault, FaultInput, FaultKind } from './fault.ts';

/** Runs `act` on a replica that no other fault has at the moment. */
async function withReplica(
  input: FaultInput,
  replicas: readonly Replica[],
  act: (replica: Replica) => ReturnType<Fault>,
) {
  const free = replicas.filter(({ isTaken }) => !isTaken);
  if (free.length === 0) return null;
  const replica = input.random.pick(free);
  replica.isTaken = true;
  try {
    return await act(replica);
  } finally {
    replica.isTaken = false;
  }
}

const all = ({ stage }: FaultInput) => stage.deployments.flatMap(({ replicas }) => replicas);
const ofFirst = ({ stage }: FaultInput) => stage.deployments[0]?.replicas ?? [];
const ofOthers = ({ stage }: FaultInput) => stage.deployments.slice(1).flatMap(({ replicas }) => replicas);

const kill = async (input: FaultInput, replica: Replica) => {
  const { pid, child } = replica.current;
  await replica.current.kill();
  const wasKilled = child.signalCode === 'SIGKILL';
  await input.hold(input.random.between(0, 2000));
  await replica.restart();
  return wasKilled ? { target: replica.name, proof: `process ${pid} ended with SIGKILL` } : null;
};

const killed: Fault = (input) => withReplica(input, all(input), (replica) => kill(input, replica));

async function pause(input: FaultInput, replica: Replica, ms: number) {
  const { frozen, thaw } = await freeze([replica.current.pid]);
  try {
    await input.hold(ms);
  } finally {
    thaw();
  }
  return frozen === 1 ? { target: replica.name, proof: `it was stopped for ${Math.round(ms / 100) / 10} s` } : null;
}

const paused: Fault = (input) =>
  withReplica(input, all(input), (replica) => pause(input, replica, input.random.between(500, 4000)));

/** Every step that it followed is overdue when it wakes, and other replicas count it as gone. */
const sleepMs = (Math.max(stepTimeoutSeconds + stepGraceSeconds, replicaStaleSeconds) + 2) * 1000;
const patienceMs = 30_000;

/** Falls asleep while it follows a step, and wakes up only after the other replicas have taken all of its steps. */
const slept: Fault = (input) =>
  withReplica(input, ofFirst(input), async (replica) => {
    const id = await eventually(() => idOf(input, replica), patienceMs);
    const followed = () => followedBy(input, id);
    await eventually(async () => {
      if ((await followed()) === 0) throw new Error('it follows no step');
    }, patienceMs);
    const { frozen, thaw } = await freeze([replica.current.pid]);
    const from = Date.now();
    try {
      await input.hold(sleepMs);
      await eventually(async () => {
        if ((await followed()) > 0) throw new Error('its steps were not taken');
      }, patienceMs).catch(() => {});
    } finally {
      thaw();
    }
    return frozen === 1 ? { target: replica.name, proof: `it slept for ${Date.now() - from} ms` } : null;
  });

/** The registry's id of the replica, which others may remove while it sleeps. */
async function idOf({ stage }: FaultInput, { name }: Replica): Promise<string> {
  const statement = `select id from replicas where slot like '%/${name}'`;
  const [row] = await stage.postgres.admin(statement, stage.deployments[0]?.role);
  if (!row) throw new Error(`${name} is not registered`);
  return String(row.id);
}

async function followedBy({ stage }: FaultInput, id: string): Promise<number> {
  const statement = `select count(*)::int as n from steps where replica_id = '${id}' and finished_at is null`;
  const [row] = await stage.postgres.admin(statement, stage.deployments[0]?.role);
  return Number(row?.n);
}

/** The first resync of a data-plane sees every sandbox of the cluster. */
const secondRestarted: Fault = (input) => withReplica(input, ofOthers(input), (replica) => kill(input, replica));

/** Resets the connections between one replica and Postgres. */
const connectionsCut: Fault = async (input) => {
  const { name, proxy } = input.random.pick(all(input));
  const cut = proxy.cut();
  return cut > 0 ? { target: name, proof: `${cut} connections were reset` } : null;
};

/** No byte passes, and neither side learns of it until the connections are reset. */
const connectionsSilent: Fault = async (input) => {
  const { name, proxy } = input.random.pick(all(input));
  const silent = proxy.silence();
  try {
    await input.hold(input.random.between(2500, 7000));
  } finally {
    proxy.hear();
  }
  return silent > 0 ? { target: name, proof: `${silent} connections were silent` } : null;
};

export const replicaFaults = {
  'replica-killed': killed,
  'replica-paused': paused,
  'replica-slept': slept,
  'second-deployment-restarted': secondRestarted,
  'database-connections-cut': connectionsCut,
  'database-connections-silent': connectionsSilent,
} satisfies Partial<Record<FaultKind, Fault>>;
