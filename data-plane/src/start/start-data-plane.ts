import { hostname } from 'node:os';
import { newId } from '@holdfast/specs/public';
import type { Config } from '../config/parse-config.ts';
import { createApp } from '../http/create-app.ts';
import { createMetricsApp } from '../http/create-metrics-app.ts';
import { serveApp } from '../http/edge/serve-app.ts';
import { createPreviewServer } from '../http/preview/preview-server.ts';
import { createLogger, type Logger } from '../observability/logger.ts';
import { createMetrics } from '../observability/metrics.ts';
import { runDuties } from '../reconcile/duties/run-duties.ts';
import { registerReplica } from '../registry/replicas/register-replica.ts';
import { removeReplica } from '../registry/replicas/remove-replica.ts';
import { lockDataDir } from '../runtimes/process/lock-data-dir.ts';
import { bootstrapApiKey } from './bootstrap-api-key.ts';
import { composeReplica } from './compose-replica.ts';
import { connectDatabases } from './connect-databases.ts';
import { drain } from './drain.ts';
import { firstRequest } from './first-request.ts';
import { loadKeys } from './keys/load-keys.ts';
import { createStops, type OnStop } from './on-stop.ts';
import { requireSoleUser } from './require-sole-user.ts';
import { startContents } from './start-contents.ts';
import { startRuntime } from './start-runtime.ts';
import { stopInTime } from './stop-in-time.ts';
import { warnOfDangers } from './warn-of-dangers.ts';

type StartInput = {
  config: Config;
  /** Gets short sentences for a person who waits. */
  progress: (message: string) => void;
  agentMain: string;
  path: string;
  home: string;
  jupyterPath: string;
  /** This machine's settings for registries and proxies, as environment variables. */
  registries: Readonly<Record<string, string>>;
  /** Starts another runtime than the configured one, such as one without real sandboxes to measure the rest. */
  startRuntime?: typeof startRuntime;
};

export type StartedDataPlane = {
  url: string;
  /** Resolves with a sentence if something essential ends. */
  failed: Promise<string>;
  /** Drains, then stops every part. `force` ends the wait for running steps. */
  stop(force: AbortSignal): Promise<void>;
};

/** Starts a replica, part by part. Parts are stopped in reverse order, also if a later part fails to start. */
export async function startDataPlane(input: StartInput): Promise<StartedDataPlane> {
  const { config } = input;
  const log = createLogger({ level: config.logLevel, fields: { deployment: config.deployment } });
  // An error that one request forgot must not end the steps of all other sessions.
  const logRejection = (error: unknown) => log.error({ err: error }, 'a promise was rejected without a handler');
  process.on('unhandledRejection', logRejection);
  const { onStop, stopAll } = createStops(log);
  onStop(async () => process.off('unhandledRejection', logRejection));
  try {
    const { url, failed, drainAll } = await start({ ...input, log, onStop });
    return {
      url,
      failed,
      async stop(force) {
        const recorded = await drainAll(force);
        await stopAll(recorded ? force : AbortSignal.abort());
      },
    };
  } catch (error) {
    await stopAll(AbortSignal.abort());
    throw error;
  }
}

async function start(input: StartInput & { log: Logger; onStop: OnStop }) {
  const { config, progress, log, onStop } = input;
  if (config.runtime === 'process') onStop(await lockDataDir(config.dataDir));
  const { ended, piecesDb, identity, ...databases } = await connectDatabases({ config, progress, onStop });
  const { db } = databases;
  const keys = await loadKeys(config, db);
  const { keyless } = await bootstrapApiKey(config, db);
  const agentAuthBypassed = keys.signing === null;
  warnOfDangers({ config, keyless, agentAuthBypassed, log, progress, onStop });

  const replica = { id: newId('rep'), slot: `${hostname()}:${config.dataDir}` };
  const { succeededId } = await registerReplica(db, replica);
  if (succeededId) log.info({ succeededId }, 'continuing after an earlier replica that was not stopped in order');
  onStop((force) => stopInTime(() => removeReplica(db, replica), { force }));
  await requireSoleUser({ runtime: config.runtime, db, slot: replica.slot });

  const { contents, close: closeContents } = await startContents({ db, piecesDb, s3: config.s3 });
  onStop(closeContents);
  const { runtime, close } = await (input.startRuntime ?? startRuntime)({
    ...input,
    database: identity,
    signing: keys.signing,
  });
  onStop(close);
  const metrics = createMetrics({ agentAuthBypassed, processMetrics: true });
  const composed = composeReplica({
    ...keys,
    ...databases,
    config,
    contents,
    runtime,
    log,
    metrics,
    replica,
    keyless,
  });
  onStop(composed.close);

  const stopping = new AbortController();
  const duties = runDuties(composed.duties, stopping.signal);
  onStop((force) => {
    stopping.abort();
    return stopInTime(() => duties, { force });
  });

  const app = createApp({
    verbs: composed.verbs,
    addOpenRequest: composed.addOpenRequest,
    log,
    metrics,
    agentAuthBypassed,
    tokenIssuer: config.oidc,
    corsOrigins: config.http.corsOrigins,
    servesMetrics: config.metrics.isPublic,
    bodyBytesMax: config.http.bodyBytesMax,
  });
  const metricsPort = config.metrics.port;
  if (metricsPort !== null) {
    const served = await serveApp(createMetricsApp(metrics), { host: config.http.host, port: metricsPort });
    onStop(() => served.close({ graceMs: 0 }));
    composed.keepOwnPorts([portOf(served.url)]);
    log.info({ url: served.url }, 'metrics are served');
  }
  const { visits, addOpenRequest } = composed;
  const otherHosts = visits && createPreviewServer({ ...visits, addOpenRequest, log, metrics });
  const served = await serveApp(app, { ...config.http, otherHosts });
  composed.keepOwnPorts([portOf(served.url), ...(config.databaseUrl ? [portOf(config.databaseUrl.reveal())] : [])]);
  onStop(() => served.close({ graceMs: 1000 }));
  // The address of a pod is of no use to a person; the install script prints a first request that works.
  const isPod = config.runtime === 'kubernetes';
  progress(isPod ? `Holdfast is ready on ${served.url}` : firstRequest(served.url, { needsKey: !keyless }));
  log.info({ url: served.url }, 'ready');
  return {
    url: served.url,
    failed: ended.then((reason) => `Postgres has ended: ${reason}`),
    drainAll: (force: AbortSignal) => drain(composed, { drainSeconds: config.drainSeconds, force }),
  };
}

const portOf = (url: string) => Number(new URL(url).port || (url.startsWith('http:') ? 80 : 5432));
