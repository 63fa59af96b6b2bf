import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Database } from '../../../src/registry/connect.ts';
import { findRoute } from '../../../src/registry/routes/find-route.ts';
import { touchRoute } from '../../../src/registry/routes/touch-route.ts';
import { listSteps, readSteps } from '../../../src/registry/steps/list-steps.ts';
import { latencies, runRounds } from '../../measure/run-rounds.ts';
import { amount, type Plan, roundsOf } from '../../stage/plan.ts';
import type { Stage } from '../../stage/stage.ts';
import { startDatabase } from '../../stage/start-database.ts';
import type { Scenario } from '../scenario.ts';
import { fillRegistry, sessionId, stepsPerSession } from './fill-registry.ts';

/** A filled registry. `draw` gives a number below its own number of rows. */
type Filled = { db: Database; rows: number; draw: (below: number) => number };

/**
 * Queries of the registry in databases of different sizes. Their Postgres has memory for all pages, as the one of a deployment with that many
 * sessions has: what a page costs that it has to read is a question of its disk.
 */
export const registry: Scenario = { name: 'registry', run };

async function run(stage: Stage, plan: Plan): Promise<void> {
  const sizes = amount(plan, { smoke: [1000, 10_000], full: [1000, 100_000, 1_000_000] });
  // The few megabytes that a laptop's Postgres gets would hold the small databases and not the large ones.
  const sharedBuffers = amount(plan, { smoke: '128MB', full: '4GB' });
  const database = await startDatabase(join(stage.dataDir, 'registry'), { sharedBuffers });
  stage.defer(database.stop);
  const filled: Filled[] = [];
  for (const rows of sizes) {
    const db = await fillRegistry(database, rows);
    stage.defer(db.close);
    await onOneProcessor(db);
    filled.push({ db, rows, draw: (below) => Math.floor(stage.random() * below) });
  }
  const times = amount(plan, { smoke: 10, full: 40 });
  for (const { name, query } of queries) {
    await runRounds(stage, {
      scenario: 'registry',
      case: name,
      rounds: roundsOf(plan, { smoke: 6, full: 50 }),
      warmUp: amount(plan, { smoke: 2, full: 10 }),
      contestants: filled.map((one) => ({
        peer: nameOf(one.rows),
        base: nameOf(1000),
        check: () => query(one),
        measure: () => latencies(times, () => query(one)),
      })),
    });
  }
}

/**
 * Keeps the process that serves this database on the last processor. A query takes half as long again if its process must be woken on another
 * processor than the one before, and the system leaves each process for long on the one that it has: this would be a difference of processes.
 */
async function onOneProcessor(db: Database): Promise<void> {
  const [{ pid } = { pid: 0 }] = await db.sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  await promisify(execFile)('taskset', ['-cp', String(availableParallelism() - 1), String(pid)]);
}

const nameOf = (rows: number) => `${rows.toLocaleString('en')} rows`;

/** Each one throws if its result is wrong. */
const queries: { name: string; query(filled: Filled): Promise<void> }[] = [
  {
    name: 'route, hit',
    async query({ db, rows, draw }) {
      const id = sessionId(draw(rows));
      require((await findRoute(db, { sessionId: id }))?.sessionId === id);
    },
  },
  {
    name: 'route, miss',
    async query({ db, rows, draw }) {
      require((await findRoute(db, { sessionId: `${sessionId(draw(rows))}x` })) === null);
    },
  },
  {
    name: 'route, durable update',
    query: ({ db, rows, draw }) => touchRoute(db, { sessionId: sessionId(draw(rows)), epoch: 1 }),
  },
  {
    name: 'a page of 50 steps',
    async query({ db, rows, draw }) {
      const id = sessionId(draw(rows / stepsPerSession));
      const { items } = await listSteps(db, { sessionId: id, limit: 50 });
      const [first = 0, last = 0] = [items[0]?.number, items.at(-1)?.number];
      const signal = new AbortController().signal;
      require((await readSteps(db, { sessionId: id, first, last, signal })).length === 50);
    },
  },
];

function require(isRight: boolean): void {
  if (!isRight) throw new Error('a query of the registry gave a wrong result');
}
