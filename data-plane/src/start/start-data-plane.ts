import { hostname } from 'node:os';
import { newId } from '@holdfast/specs/public';
import { addConfiguredApiKey } from '../access/create-api-key.ts';
import { type Config, ConfigError } from '../config/parse-config.ts';
import { createApp } from '../http/create-app.ts';
import { serveApp } from '../http/edge/serve-app.ts';
import { createLogger, type Logger } from '../observability/logger.ts';
import { createMetrics } from '../observability/metrics.ts';
import { runDuties } from '../reconcile/duties/run-duties.ts';
import { countLiveApiKeys } from '../registry/api-keys/count-live-api-keys.ts';
import { connectDatabase, type Database, type DatabaseAddress } from '../registry/connect.ts';
import { startEmbeddedPostgres } from '../registry/embedded/start-embedded-postgres.ts';
import { migrate } from '../registry/migrate.ts';
import { ping } from '../registry/ping.ts';
import { replicaStaleSeconds } from '../registry/replicas/beat-replica.ts';
import { listLiveReplicas } from '../registry/replicas/list-live-replicas.ts';
import { registerReplica } from '../registry/replicas/register-replica.ts';
import { removeReplica } from '../registry/replicas/remove-replica.ts';
import { lockDataDir } from '../runtimes/process/lock-data-dir.ts';
import { createDependencies } from './dependencies.ts';
import { drain } from './drain.ts';
import { firstRequest } from './first-request.ts';
import { loadKeys } from './load-keys.ts';
import { startContents } from './start-contents.ts';
import { startRuntime } from './start-runtime.ts';
import { stopInTime } from './stop-in-time.ts';
import { untilReachable } from './until-reachable.ts';

type StartInput = {
  config: Config;
  /** Gets short sentences for a person who waits. */
  progress: (message: string) => void;
  agentMain: string;
  path: string;
  home: string;
};

/** Stops one part; where it may wait, `force` shortens that. */
type Undo = (force: AbortSignal) => Promise<unknown>;

export type StartedDataPlane = {
  url: string;
  /** Resolves with a sentence where something ended without which nothing works. */
  failed: Promise<string>;
  /** Drains and ends everything that was started; `force` ends the waiting for running steps. */
  stop(force: AbortSignal): Promise<void>;
};

const databaseStartMs = 60_000;

/** Starts a replica, part by part; what was started is undone in reverse order, also where a later part fails. */
export async function startDataPlane(input: StartInput): Promise<StartedDataPlane> {
  const { config } = input;
  const log = createLogger({ level: config.logLevel, fields: { deployment: config.deployment } });
  const undo: Undo[] = [];
  const undoAll = async (force: AbortSignal) => {
    for (let undoOne = undo.pop(); undoOne; undoOne = undo.pop()) {
      await undoOne(force).catch((err) => log.error({ err }, 'a part of the data-plane did not stop in order'));
    }
  };
  try {
    const { url, failed, drainAll } = await start({ ...input, log }, (undoOne) => undo.push(undoOne));
    return {
      url,
      failed,
      async stop(force) {
        const recorded = await drainAll(force);
        await undoAll(recorded ? force : AbortSignal.abort());
      },
    };
  } catch (error) {
    await undoAll(AbortSignal.abort());
    throw error;
  }
}

async function start(
  { config, progress, agentMain, path, home, log }: StartInput & { log: Logger },
  onStop: (undo: Undo) => void,
) {
  const isProcess = config.runtime === 'process';
  if (isProcess) onStop(await lockDataDir(config.dataDir));
  const postgres = await addressOf(config, progress);
  onStop(postgres.stop);
  const db = connectDatabase({ ...postgres.address, poolMax: 16 });
  onStop((force) => stopInTime(db.close, { force }));
  // A pool hands out its connections in turn; one that does all of one thing keeps its caches warm.
  const historyDb = connectDatabase({ ...postgres.address, poolMax: 1 });
  onStop((force) => stopInTime(historyDb.close, { force }));
  // Files of any size are on their way for as long as they take, and hold up nothing else.
  const piecesDb = connectDatabase({ ...postgres.address, poolMax: 4, commit: 'lazy' });
  onStop((force) => stopInTime(piecesDb.close, { force }));
  // What is installed together starts together: a pod that gave up at once would be started again later and later.
  if (!isProcess) await untilReachable(db, { forMs: databaseStartMs });
  await migrate(db);
  // The first step is not to wait for a connection, nor to fail where names cannot be resolved just then.
  await ping(historyDb);
  const keys = await loadKeys(config, db);
  const keyless = await admitKeyless(config, db);
  warn(config, { keyless, bypassed: keys.signing === null }, { log, progress }, onStop);

  const replica = { id: newId('rep'), slot: `${hostname()}:${config.dataDir}` };
  const { succeededId } = await registerReplica(db, replica);
  if (succeededId) log.info({ succeededId }, 'continuing after an earlier replica that did not stop in order');
  onStop((force) => stopInTime(() => removeReplica(db, replica), { force }));
  if (isProcess) await refuseCompany(db, replica);
  if (config.runtime === 'container') await refuseOtherMachines(db);

  const { contents, close: closeContents } = await startContents({ db, piecesDb, s3: config.s3 });
  onStop(closeContents);
  const { signing } = keys;
  const { runtime, close } = await startRuntime({ config, signing, agentMain, path, home, log, progress });
  onStop(close);
  const metrics = createMetrics({ agentAuthBypassed: keys.signing === null, processMetrics: true });
  const deps = createDependencies({
    ...keys,
    config,
    db,
    historyDb,
    contents,
    runtime,
    log,
    metrics,
    replica,
    keyless,
  });
  onStop(deps.close);

  const reconciling = new AbortController();
  const reconciled = runDuties(deps.reconciling, reconciling.signal);
  onStop((force) => {
    reconciling.abort();
    return stopInTime(() => reconciled, { force });
  });

  const app = createApp({
    verbs: deps.verbs,
    log,
    metrics,
    agentAuthBypassed: keys.signing === null,
    bodyBytesMax: config.http.bodyBytesMax,
  });
  const served = await serveApp(app, config.http);
  onStop(() => served.close({ graceMs: 1000 }));
  // In a pod this address leads nowhere; whoever installs it prints a first request that works.
  const isPod = config.runtime === 'kubernetes';
  progress(isPod ? `Holdfast is ready on ${served.url}` : firstRequest(served.url, { needsKey: !keyless }));
  log.info({ url: served.url }, 'ready');
  return {
    url: served.url,
    failed: postgres.ended.then((reason) => `Postgres has ended: ${reason}`),
    drainAll: (force: AbortSignal) => drain(deps, { drainSeconds: config.drainSeconds, force }),
  };
}

/**
 * A replica with the process runtime ends every session when it stops and takes sandboxes that it does not see for lost, so it works
 * alone on its database. Throws ConfigError.
 */
async function refuseCompany(db: Database, { slot }: { slot: string }): Promise<void> {
  const others = (await listLiveReplicas(db)).filter((replica) => replica.slot !== slot);
  if (others.length === 0) return;
  throw new ConfigError([
    `DATABASE_URL is in use by the data-plane ${others.map((other) => other.slot).join(', ')}: with HOLDFAST_RUNTIME=process one at a time may use it; one that was killed counts as there for ${replicaStaleSeconds} s`,
  ]);
}

/** A replica on another machine has another engine, and would take the sandboxes of this one for lost. Throws ConfigError. */
async function refuseOtherMachines(db: Database): Promise<void> {
  const others = (await listLiveReplicas(db)).filter(({ slot }) => !slot.startsWith(`${hostname()}:`));
  if (others.length === 0) return;
  throw new ConfigError([
    `DATABASE_URL is in use by the data-plane ${others.map(({ slot }) => slot).join(', ')}: with HOLDFAST_RUNTIME=container those of one machine may use it; one that was killed counts as there for ${replicaStaleSeconds} s`,
  ]);
}

type Postgres = { address: DatabaseAddress; ended: Promise<string>; stop: () => Promise<unknown> };

async function addressOf(config: Config, progress: (message: string) => void): Promise<Postgres> {
  if (!config.databaseUrl) return await startEmbeddedPostgres({ dataDir: config.dataDir, progress });
  return { address: { url: config.databaseUrl.reveal() }, ended: new Promise(() => {}), stop: async () => {} };
}

const loopback = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/;

/** Makes the first key where one is configured. Without any key only development on loopback may start. */
async function admitKeyless(config: Config, db: Database): Promise<boolean> {
  const { apiKey, tenant } = config.bootstrap;
  if (apiKey) {
    await addConfiguredApiKey(db, {
      id: newId('key'),
      key: apiKey.reveal(),
      tenant,
      name: 'bootstrap',
      scopes: ['run', 'host', 'admin'],
    });
  }
  if ((await countLiveApiKeys(db)) > 0) return false;
  if (config.env === 'development' && loopback.test(config.http.host)) return true;
  throw new ConfigError([
    'HOLDFAST_BOOTSTRAP_API_KEY is required: without any API key only HOLDFAST_ENV=development starts, and only on loopback',
  ]);
}

type Dangers = { keyless: boolean; bypassed: boolean };
type Voices = { log: Logger; progress: (message: string) => void };

function warn(
  config: Config,
  { keyless, bypassed }: Dangers,
  { log, progress }: Voices,
  onStop: (undo: Undo) => void,
): void {
  if (config.runtime === 'process')
    progress('the process runtime is no isolation boundary: run only code that you trust');
  if (config.runtime === 'container' && !loopback.test(config.http.host))
    log.warn(
      { host: config.http.host },
      'sandboxes reach this port too, unless a firewall keeps their networks from it',
    );
  if (keyless) progress('no API key is set: everybody who reaches this port may run code');
  if (!bypassed) return;
  const complain = () => log.error('agent authentication is bypassed: HOLDFAST_INSECURE_SKIP_AGENT_AUTH is set');
  complain();
  const timer = setInterval(complain, 60_000);
  onStop(async () => clearInterval(timer));
}
