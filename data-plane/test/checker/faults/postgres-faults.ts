import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Deployment } from '../stage/deployment.ts';
import { killForGood } from '../stage/processes.ts';
import type { Fault, FaultInput, FaultKind, Stage } from './fault.ts';

const server = 'postgres';

/** Another replica's turn, or another database's, with each round. */
const deploymentOf = ({ stage, random }: FaultInput): Deployment => random.pick(stage.deployments);

const killed: Fault = async ({ stage: { postgres }, random, hold }) => {
  const wasKilled = await postgres.kill();
  await hold(random.between(0, 1500));
  await postgres.start();
  return wasKilled ? { target: server, proof: 'its first process was gone' } : null;
};

const restarted: Fault = async ({ stage: { postgres }, random, hold }) => {
  const stopped = await postgres.stop();
  await hold(random.between(0, 1500));
  await postgres.start();
  return stopped ? { target: server, proof: 'it exited with 0' } : null;
};

/** Longer than a replica waits before it takes steps without a follower. */
const frozen: Fault = async ({ stage: { postgres, rush }, random, hold }) => {
  const { frozen: count, thaw } = await postgres.freeze();
  try {
    rush.begin();
    await hold(random.between(10_000, 14_000));
  } finally {
    thaw();
  }
  return count > 1 ? { target: server, proof: `${count} processes were stopped` } : null;
};

const backends = async ({ postgres }: Stage, role: string): Promise<number[]> => {
  const rows = await postgres.admin(`select pid from pg_stat_activity where usename = '${role}' order by pid`);
  return rows.map(({ pid }) => Number(pid));
};

/** The server ends all other connections as well, because shared memory may be damaged. */
const backendKilled: Fault = async (input) => {
  const pids = await backends(input.stage, deploymentOf(input).role);
  if (pids.length === 0) return null;
  const pid = input.random.pick(pids);
  const wasKilled = await killForGood(pid);
  await input.stage.postgres.start();
  return wasKilled ? { target: server, proof: `backend ${pid} was gone` } : null;
};

const backendTerminated: Fault = async (input) => {
  const { role } = deploymentOf(input);
  const terminated = await terminateAll(input.stage, role);
  return terminated > 0 ? { target: role, proof: `${terminated} backends were terminated` } : null;
};

async function terminateAll({ postgres }: Stage, role: string): Promise<number> {
  return (await postgres.admin(`select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`))
    .length;
}

const loginsRefused: Fault = async (input) => {
  const { postgres } = input.stage;
  const { role } = deploymentOf(input);
  await postgres.admin(`alter role ${role} nologin`);
  try {
    const before = await refusedLogins(input.stage, role);
    const terminated = await terminateAll(input.stage, role);
    await input.hold(input.random.between(2000, 4500));
    const refused = (await refusedLogins(input.stage, role)) - before;
    if (terminated === 0 || refused === 0) return null;
    return { target: role, proof: `${terminated} backends were terminated and ${refused} logins refused` };
  } finally {
    await untilDone(() => postgres.admin(`alter role ${role} login`));
  }
};

const refusedLogins = async ({ postgres }: Stage, role: string): Promise<number> =>
  (await postgres.log()).split(`role "${role}" is not permitted to log in`).length - 1;

/** Errors that say nothing about the statement: I/O, authorization, shutdown, serialization, deadlock, internal, disk, a missing right. */
const states = ['58030', '28000', '57P01', '40001', 'XX000', '53100', '40P01', '42501'];
const tables = ['steps', 'sessions', 'steps', 'world_files', 'steps', 'session_routes'];

/** A trigger raises the error, and counts in a sequence, which no rollback takes back. One error after the other. */
const statementsRefused: Fault = async (input) => {
  const { role } = deploymentOf(input);
  const proofs: string[] = [];
  for (let index = input.round * 3; index < input.round * 3 + 3; index++) {
    const refusal = { role, state: states[index % states.length] ?? '', table: tables[index % tables.length] ?? '' };
    const count = await refuse(input, refusal);
    if (count > 0) proofs.push(`${count} on ${refusal.table} with ${refusal.state}`);
  }
  return proofs.length > 0 ? { target: role, proof: `statements were refused: ${proofs.join(', ')}` } : null;
};

type Refusal = { role: string; state: string; table: string };

async function refuse(
  { stage: { postgres }, random, hold }: FaultInput,
  { role, state, table }: Refusal,
): Promise<number> {
  const run = (statement: string) => postgres.admin(statement, role);
  await run(`create sequence if not exists checker_refused;
    grant usage on sequence checker_refused to public;
    select setval('checker_refused', 1, false);
    create or replace function checker_refuse() returns trigger language plpgsql as $$
      begin perform nextval('checker_refused'); raise exception 'refused by the checker' using errcode = '${state}'; end $$;
    create trigger checker_refuse before insert or update on ${table}
      for each statement execute function checker_refuse()`);
  try {
    await hold(random.between(800, 1800));
  } finally {
    await untilDone(() => run(`drop trigger if exists checker_refuse on ${table}`));
  }
  const [seen] = await run('select last_value::int as n, is_called from checker_refused');
  return seen?.is_called ? Number(seen.n) : 0;
}

/** Repeats it: another fault may be at work, or the statement may have to wait for a lock that it does not get in time. */
async function untilDone(statement: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      await statement();
      return;
    } catch (error) {
      if (tries === 20) throw error;
      await delay(500);
    }
  }
}

/** The disk is really full if it is one of our own; otherwise the fault does not exist on this machine and its errors are raised. */
const diskFull: Fault = async (input) => {
  const { postgres } = input.stage;
  if (postgres.disk === null) {
    const { role } = deploymentOf(input);
    const count = await refuse(input, { role, state: '53100', table: 'steps' });
    return count > 0 ? { target: role, proof: `${count} statements were refused with 53100` } : null;
  }
  const filler = join(postgres.disk, 'filler');
  const before = await noSpace(input.stage);
  try {
    await fill(filler);
    await postgres
      .admin('create table checker_grows as select repeat(md5(i::text), 30) from generate_series(1, 40000) i')
      .catch(() => {});
    await input.hold(input.random.between(1500, 3000));
  } finally {
    await rm(filler, { force: true });
    await postgres.start();
    await postgres.admin('drop table if exists checker_grows');
  }
  const failed = (await noSpace(input.stage)) - before;
  return failed > 0 ? { target: server, proof: `${failed} writes found no space` } : null;
};

const noSpace = async ({ postgres }: Stage) => (await postgres.log()).split('No space left on device').length - 1;

async function fill(path: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    for (const bytes of [new Uint8Array(1 << 20), new Uint8Array(4096)]) {
      while (await file.write(bytes).then((written) => written.bytesWritten > 0, hasNoSpace));
    }
  } finally {
    await file.close();
  }
}

function hasNoSpace(error: NodeJS.ErrnoException): false {
  if (error.code !== 'ENOSPC') throw error;
  return false;
}

export const postgresFaults = {
  'postgres-killed': killed,
  'postgres-restarted': restarted,
  'postgres-frozen': frozen,
  'backend-killed': backendKilled,
  'backend-terminated': backendTerminated,
  'logins-refused': loginsRefused,
  'statements-refused': statementsRefused,
  'disk-full': diskFull,
} satisfies Partial<Record<FaultKind, Fault>>;
