import { type AgentClient, type AgentTarget, createAgentClient } from '../agent/agent-client.ts';
import { AgentError } from '../agent/agent-error.ts';
import { createByteBudget } from '../agent/byte-budget.ts';
import type { Config } from '../config/parse-config.ts';
import type { Contents } from '../contents/contents.ts';
import { createAgentTokens } from '../keys/agent-tokens.ts';
import type { Seal } from '../keys/seal.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import type { Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { LiveProcess } from '../processes/ending/live-process.ts';
import { createLargeReads } from '../reading/large-reads.ts';
import type { Database } from '../registry/connect.ts';
import { storeToken } from '../registry/routes/store-token.ts';
import { findSession } from '../registry/sessions/find-session.ts';
import type { Runtime } from '../runtimes/runtime.ts';
import { createAcknowledgements } from '../sessions/acknowledgements.ts';
import type { EndDependencies } from '../sessions/end-and-fence.ts';
import { createRoutes } from '../sessions/sandbox-routes.ts';
import { hasSandbox } from '../sessions/status.ts';
import { createSessionWatches } from '../sharing/session-watches.ts';
import { createAutoSnapshots } from '../state/auto-snapshots.ts';
import type { LiveStepLog } from '../steps/live-step.ts';
import { createBackground } from '../timing/background.ts';
import { createMachineLoad } from '../timing/machine-load.ts';
import { createWorlds } from '../world/create-worlds.ts';
import { saveFiles } from '../world/save-files.ts';

/** Everything that is opened before a replica is composed. */
export type ReplicaInput = {
  config: Config;
  db: Database;
  /** One connection that records steps and does nothing else. */
  historyDb: Database;
  /** For answers that are read in pieces. */
  readsDb: Database;
  /** One connection for heartbeats and probes. */
  heartbeatDb: Database;
  contents: Contents;
  runtime: Runtime;
  seal: Seal;
  /** null: agent authentication is bypassed. */
  signing: SigningKeys | null;
  /** Signs snapshots for other deployments; null if the operator has set no key. */
  transferSeal: Pick<Seal, 'sign' | 'verify'> | null;
  log: Logger;
  metrics: Metrics;
  replica: { id: string; slot: string };
  /** Whether requests without a key are admitted, as the bootstrap tenant. This ends when the first key is created. */
  keyless: boolean;
};

export type Core = ReturnType<typeof composeCore>;

/** The parts that all others are built on. They are also everything that ending a session needs. */
export function composeCore(input: ReplicaInput) {
  const { config, db, readsDb, contents, runtime, seal, signing, log, metrics, replica } = input;
  const state = { isDraining: false };
  const stopping = new AbortController();
  const background = createBackground((err) => log.error({ err }, 'background work failed'));
  const tokens = createAgentTokens<AgentTarget>({
    issuer: config.deployment,
    keys: signing,
    accepts: (target) => acceptsToken(agents, target),
    storeToken: ({ sessionId, epoch, token }, previousExpiresAt) =>
      background.add(
        seal
          .close(token.token)
          .then((sealed) =>
            storeToken(db, { sessionId, epoch, previousExpiresAt, token: sealed, tokenExpiresAt: token.expiresAt }),
          ),
      ),
  });
  const byteBudget = createByteBudget({ replicaBytesMax: config.steps.liveBytesMax });
  const agents = createAgentClient({
    tokens,
    budget: byteBudget,
    onConnections: metrics.agentConnections,
    async isReplaced({ sessionId, epoch }) {
      const session = await findSession(db, { id: sessionId });
      return session?.epoch !== epoch || session.endedAt !== null;
    },
  });
  const limits = config.files;
  const replicaId = replica.id;
  const routes = createRoutes({ db, seal, log });
  const saving = { db, agents, contents, log, limits, snapshots: { bytesMax: 256 * 2 ** 20, timeoutMs: 20_000 } };
  const worlds = createWorlds({ ...saving, replicaId });
  const machine = runtime.name === 'kubernetes' ? null : createMachineLoad();
  const findRoute = async (sessionId: string) => {
    const route = await routes.find(sessionId);
    return hasSandbox(route?.status) ? route : null;
  };
  return {
    db,
    reads: createLargeReads({ db: readsDb }),
    contents,
    runtime,
    seal,
    transferSeal: input.transferSeal,
    deployment: config.deployment,
    log,
    agents,
    byteBudget,
    acknowledgements: createAcknowledgements({ agents, of: 'steps' }),
    processAcknowledgements: createAcknowledgements({ agents, of: 'processes' }),
    routes,
    snapshots: saving.snapshots,
    autoSnapshots: createAutoSnapshots({ ...saving, findRoute, background: background.add, machine }),
    liveSteps: new Map<string, LiveStepLog>(),
    liveProcesses: new Map<string, LiveProcess>(),
    watches: createSessionWatches({ db }),
    worlds,
    saveFiles: (input: Parameters<typeof saveFiles>[1]) => saveFiles({ ...saving, worlds }, input),
    replicaId,
    limits,
    starting: new Map(),
    fencing: new Map(),
    removing: new Map(),
    pausing: new Set<string>(),
    onSessionEnd: metrics.session,
    now: () => new Date(),
    background: background.add,
    backgroundSettled: background.settled,
    isDraining: () => state.isDraining,
    /** Aborts when work that has no end of its own is left to other replicas. */
    stopping: stopping.signal,
    stopFollowing: () => stopping.abort(),
    /** From now on no new work begins. */
    drain: () => {
      state.isDraining = true;
    },
  } satisfies EndDependencies & Record<string, unknown>;
}

/** @throws AgentError unless the agent answered */
async function acceptsToken(agents: Pick<AgentClient, 'call'>, target: AgentTarget): Promise<boolean> {
  try {
    await agents.call(target, { method: 'GET', path: '/v1/session' });
    return true;
  } catch (error) {
    if (error instanceof AgentError && error.slug === 'unauthenticated') return false;
    throw error;
  }
}
