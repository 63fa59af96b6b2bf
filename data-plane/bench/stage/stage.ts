import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '../measure/random.ts';
import type { Sample } from '../measure/sample.ts';
import { type JupyterPeer, startJupyterPeers } from '../peers/jupyter/jupyter-peers.ts';
import { startYardstick, type Yardstick } from '../peers/yardstick/start-yardstick.ts';
import { requirePython } from './require-python.ts';
import { type BenchDatabase, startDatabase } from './start-database.ts';
import { type Product, startProduct } from './start-product.ts';

/** Everything that scenarios measure. Each part starts when a scenario first asks for it. */
export type Stage = {
  /** The interpreter of the kernels and of all peers: the binary itself. */
  python: string;
  /** A directory for this run alone, which is removed at its end. */
  dataDir: string;
  /** Numbers from 0 to below 1 that depend on the seed of the run. */
  random: () => number;
  record(sample: Sample): void;
  /** Says something to the person, such as that a peer is missing and how to install it. */
  note(line: string): void;
  /** Runs at the end of the scenario, the last one first. */
  defer(close: () => Promise<unknown>): void;
  /** One Postgres for the whole run. Holdfast and the yardstick share it. */
  database(): Promise<BenchDatabase>;
  /** A Holdfast for the scenario, as `npm start` starts it, with agent authentication and the proof of the peer. */
  holdfast(): Promise<Product>;
  /** A yardstick for the scenario, with agents for this number of sessions. */
  yardstick(sessions: number): Promise<Yardstick>;
  /** Jupyter Server, stock and with TCP_NODELAY; null if it is not installed, which is noted. */
  jupyter(): Promise<JupyterPeer[] | null>;
};

type StageInput = { seed: number; record(sample: Sample): void; note(line: string): void };

/** Builds a stage. `endScenario` closes what the last scenario started, `close` also the rest. */
export async function createStage({ seed, record, note }: StageInput) {
  const python = await requirePython();
  const dataDir = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
  let closers: (() => Promise<unknown>)[] = [];
  let scenarioParts = new Map<string, Promise<unknown>>();
  let database: Promise<BenchDatabase> | null = null;
  const startDatabaseOnce = () => {
    database ??= startDatabase(join(dataDir, 'database'));
    return database;
  };

  const stage: Stage = {
    python,
    dataDir,
    random: createRandom(seed),
    record,
    note,
    defer: (close) => void closers.push(close),
    database: startDatabaseOnce,
    holdfast: () => once('holdfast', async () => startProduct(stage)),
    yardstick: (sessions) => once(`yardstick ${sessions}`, async () => startYardstick(stage, { sessions })),
    jupyter: () => once('jupyter', async () => startJupyterPeers(stage)),
  };

  function once<T>(name: string, start: () => Promise<T>): Promise<T> {
    const started = (scenarioParts.get(name) as Promise<T> | undefined) ?? start();
    scenarioParts.set(name, started);
    return started;
  }

  async function endScenario(): Promise<void> {
    const last = closers.toReversed();
    closers = [];
    scenarioParts = new Map();
    const failures: unknown[] = [];
    for (const close of last) await close().catch((error) => failures.push(error));
    if (failures.length > 0) throw new AggregateError(failures, 'not everything of the scenario could be closed');
  }

  return {
    stage,
    endScenario,
    async close(): Promise<void> {
      try {
        await endScenario();
      } finally {
        await (await database)?.stop();
        await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
      }
    },
  };
}
