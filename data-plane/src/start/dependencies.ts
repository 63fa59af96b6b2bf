import { Problem } from '@holdfast/specs/public';
import { createAuthenticate } from '../access/authenticate.ts';
import { createApiKey } from '../access/create-api-key.ts';
import { listApiKeys } from '../access/list-api-keys.ts';
import { revokeApiKey } from '../access/revoke-api-key.ts';
import { type AgentTarget, createAgentClient } from '../agent/agent-client.ts';
import { getArtifact } from '../artifacts/get-artifact.ts';
import { listArtifacts } from '../artifacts/list-artifacts.ts';
import { openArtifact } from '../artifacts/open-artifact.ts';
import type { Config } from '../config/parse-config.ts';
import type { Contents } from '../contents/contents.ts';
import { completeCode } from '../contexts/complete-code.ts';
import { createContextLanguages } from '../contexts/context-languages.ts';
import { createContext } from '../contexts/create-context.ts';
import { deleteContext } from '../contexts/delete-context.ts';
import { getSessionContext } from '../contexts/get-session-context.ts';
import { inspectCode } from '../contexts/inspect-code.ts';
import { listBackground } from '../contexts/list-background.ts';
import { listContexts } from '../contexts/list-contexts.ts';
import { restartContext } from '../contexts/restart-context.ts';
import { deleteFile } from '../files/delete-file.ts';
import { listFiles } from '../files/list-files.ts';
import { makeDirectory } from '../files/make-directory.ts';
import { moveFile } from '../files/move-file.ts';
import { putArchive } from '../files/put-archive.ts';
import { putFile } from '../files/put-file.ts';
import { readArchive } from '../files/read-archive.ts';
import { readFile } from '../files/read-file.ts';
import type { Verbs } from '../http/v1/verbs.ts';
import { afterJob } from '../jobs/after-job.ts';
import { collectStepChanges } from '../jobs/collect-step-changes.ts';
import { openJobFile } from '../jobs/open-job-file.ts';
import { runJob } from '../jobs/run-job.ts';
import { signJobUrls } from '../jobs/sign-job-urls.ts';
import { createAgentTokens } from '../keys/agent-tokens.ts';
import type { Seal } from '../keys/seal.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import type { Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.ts';
import { createReconciler } from '../reconcile/create-reconciler.ts';
import type { DutyDependencies } from '../reconcile/duties/run-duties.ts';
import { createWarmPools } from '../reconcile/warm-pool/warm-pools.ts';
import type { Database } from '../registry/connect.ts';
import { databaseUnavailable, isPermanent, translateDatabaseError } from '../registry/database-error.ts';
import { storeToken } from '../registry/routes/store-token.ts';
import { recordSteps, type StepRecord } from '../registry/steps/record-steps.ts';
import { type Runtime, SandboxError } from '../runtimes/runtime.ts';
import { createAcknowledgements } from '../sessions/acknowledgements.ts';
import { createSession } from '../sessions/create-session.ts';
import { deleteSession } from '../sessions/delete-session.ts';
import { type EndDependencies, endWithoutWaiting } from '../sessions/end-and-fence.ts';
import { endSession } from '../sessions/end-session.ts';
import { getSession } from '../sessions/get-session.ts';
import { listSessions } from '../sessions/list-sessions.ts';
import { createRoutes } from '../sessions/sandbox-routes.ts';
import { updateSession } from '../sessions/update-session.ts';
import { followStep } from '../steps/follow-step.ts';
import { findWaitingStep, getStep } from '../steps/get-step.ts';
import { interruptAtAgent, interruptStep } from '../steps/interrupt-step.ts';
import { listSteps } from '../steps/list-steps.ts';
import type { LiveStepLog } from '../steps/live-step.ts';
import { readOutput } from '../steps/read-output.ts';
import { readiness } from '../steps/readiness.ts';
import { createStepRecorder } from '../steps/recording/step-recorder.ts';
import { runStep } from '../steps/run-step.ts';
import { createSendOrder } from '../steps/send-order.ts';
import { sendStdin } from '../steps/send-stdin.ts';
import { createBackground } from '../timing/background.ts';
import { createSessionLocks } from '../timing/session-locks.ts';
import { stopInTime } from './stop-in-time.ts';

type Given = {
  config: Config;
  db: Database;
  /** One connection for the recorder alone. */
  historyDb: Database;
  contents: Contents;
  runtime: Runtime;
  seal: Seal;
  /** null: agent authentication is bypassed. */
  signing: SigningKeys | null;
  log: Logger;
  metrics: Metrics;
  replica: { id: string; slot: string };
  /** Whether requests without a key are let in, as the bootstrap tenant. The first key that is made ends that. */
  keyless: boolean;
};

export type Dependencies = ReturnType<typeof createDependencies>;

/** Composes everything once. */
export function createDependencies({
  config,
  db,
  historyDb,
  contents,
  runtime,
  seal,
  signing,
  log,
  metrics,
  replica,
  keyless,
}: Given) {
  const state = { draining: false, keyless };
  const isDraining = () => state.draining;
  const routes = createRoutes({ db, seal, log });
  const background = createBackground((err) => log.error({ err }, 'work behind an answer failed'));
  const liveSteps = new Map<string, LiveStepLog>();
  const contextLanguages = createContextLanguages({ db });
  const authentication = createAuthenticate({
    db,
    keylessTenant: () => (state.keyless ? config.bootstrap.tenant : null),
  });

  const tokens = createAgentTokens<AgentTarget>({
    issuer: config.deployment,
    keys: signing,
    storeToken: ({ sessionId, epoch, token }, previousExpiresAt) =>
      background.add(
        seal
          .close(token.token)
          .then((sealed) =>
            storeToken(db, { sessionId, epoch, previousExpiresAt, token: sealed, tokenExpiresAt: token.expiresAt }),
          ),
      ),
  });
  const agents = createAgentClient({ tokens, onConnections: metrics.agentConnections });
  const acknowledgements = createAcknowledgements({ agents });
  const recorder = createStepRecorder({
    write: (rows) => recordSteps(historyDb, rows),
    writeLarge: (rows) => recordSteps(db, rows),
    isPermanent,
    isUnavailable: databaseUnavailable,
    onBatch: metrics.recordBatch,
    onFailure: (err) => log.error({ err, unavailable: databaseUnavailable(err) }, 'steps could not be recorded'),
  });

  const leave: EndDependencies = {
    db,
    routes,
    runtime,
    agents,
    acknowledgements,
    starting: new Map(),
    fencing: new Map(),
    removing: new Map(),
    background: background.add,
    onSessionEnd: metrics.session,
  };
  const reconciler = createReconciler({ ...leave, log });
  runtime.onEnded(({ uid }) => reconciler.sandboxEnded(uid));
  const shared = {
    ...leave,
    acknowledgements,
    contents,
    sessionLocks: createSessionLocks(),
    limits: config.files,
    now: () => new Date(),
    log,
    seal,
    replicaId: replica.id,
    liveSteps,
    isDraining,
    hint: reconciler.hint,
    hasEnded: reconciler.hasEnded,
  };
  const drive = {
    ...shared,
    recorder,
    condemn: (route: { sessionId: string; epoch: number }, reason: 'step_overran' | 'sandbox_lost', message: string) =>
      background.add(
        endWithoutWaiting(leave, { id: route.sessionId, epoch: route.epoch, to: 'failed', reason, message }),
      ),
    collectChanges: (ended: Parameters<typeof collectStepChanges>[1]) => collectStepChanges(shared, ended),
    graceMs: config.steps.graceSeconds * 1000,
    onEnd(row: StepRecord) {
      metrics.stepEnded(row);
      if (row.job) background.add(afterJob({ ...leave, log }, row));
    },
  };
  const running = {
    ...drive,
    contextLanguages,
    sendOrder: createSendOrder(),
    stepTimeoutMs: config.steps.timeoutSeconds * 1000,
    interrupt: (route: Parameters<typeof interruptAtAgent>[1], stepId: string) =>
      interruptAtAgent({ agents }, route, stepId),
  };
  const { startSeconds } = config.sessions;
  const { warmSeconds } = config.kubernetes;
  const warmPools = createWarmPools({ ...shared, startSeconds, warmSeconds, onCount: metrics.warmSandboxes });
  const creating = {
    ...shared,
    startSeconds,
    warmSeconds,
    onClaim(result: 'warm' | 'cold') {
      metrics.warmClaim(result);
      warmPools.fill();
    },
    onCreated: () => metrics.session('created'),
    defaults: { ...config.sessions, sessionsMax: config.sessions.perTenantMax },
  };

  const verbs: Verbs = {
    authenticate: authentication.authenticate,
    createSession: (input) => createSession(creating, input),
    getSession: (input) => getSession(shared, input),
    listSessions: (input) => listSessions(shared, input),
    updateSession: (input) => updateSession(shared, input),
    endSession: (input) => endSession(leave, input),
    deleteSession: (input) => deleteSession(leave, input),
    getSessionContext: (input) => getSessionContext(shared, input),
    runStep: (input) => runStep(running, input),
    runJob: (input) => runJob({ ...running, ...creating }, input),
    signJobUrls: (input) => signJobUrls(shared, input),
    getStep: (input) => getStep(shared, input),
    listSteps: (input) => listSteps(shared, input),
    followStep: (input) => followStep(shared, input),
    interruptStep: (input) => interruptStep(shared, input),
    findWaitingStep: (live) => findWaitingStep(shared, live),
    sendStdin: (input) => sendStdin(shared, input),
    readOutput: (input) => readOutput(shared, input),
    listFiles: (input) => listFiles(shared, input),
    readFile: (input) => readFile(shared, input),
    putFile: (input) => putFile(shared, input),
    deleteFile: (input) => deleteFile(shared, input),
    moveFile: (input) => moveFile(shared, input),
    makeDirectory: (input) => makeDirectory(shared, input),
    readArchive: (input) => readArchive(shared, input),
    putArchive: (input) => putArchive(shared, input),
    listArtifacts: (input) => listArtifacts(shared, input),
    getArtifact: (input) => getArtifact(shared, input),
    openArtifact: (input) => openArtifact(shared, input),
    openJobFile: (input) => openJobFile(shared, input),
    createContext: (input) => createContext(shared, input),
    listContexts: (input) => listContexts(shared, input),
    deleteContext: (input) => deleteContext(shared, input),
    restartContext: (input) => restartContext(shared, input),
    completeCode: (input) => completeCode(shared, input),
    inspectCode: (input) => inspectCode(shared, input),
    listBackground: (input) => listBackground(shared, input),
    async createApiKey(input) {
      const key = await createApiKey(shared, input);
      state.keyless = false;
      return key;
    },
    listApiKeys: (input) => listApiKeys(shared, input),
    revokeApiKey: (input) => revokeApiKey({ db, authentication }, input),
    readiness: () => readiness({ db, recorder, isDraining, agentAuthBypassed: signing === null }),
  };

  const reconciling: DutyDependencies = {
    ...drive,
    warmPools,
    slot: replica.slot,
    leaseSeconds: config.agent.leaseSeconds,
    history: config.history,
  };

  return {
    verbs: translated(verbs),
    reconciling,
    leave,
    liveSteps,
    recorder,
    agents,
    background,
    log,
    /** From now on nothing new begins. */
    drain: () => {
      state.draining = true;
    },
    /** Waits for what is under way, as patiently as a stop may, and closes the connections in any case. */
    async close(force: AbortSignal): Promise<void> {
      const settled = async () => {
        const rest = Promise.all([warmPools.close(), reconciler.settled()]);
        rest.catch(() => {});
        // A step that outlasted the drain goes to another replica, the sooner the better; so does whatever else is under way.
        if (liveSteps.size === 0) {
          await rest;
          await background.settled();
        }
        await recorder.drained();
      };
      await stopInTime(settled, { force }).finally(async () => {
        acknowledgements.close();
        await agents.close();
      });
    },
  };
}

/** A database or a runtime that cannot serve now is a problem of its own, whichever verb meets it. */
function translated(verbs: Verbs): Verbs {
  const entries = Object.entries(verbs).map(([name, verb]) => [
    name,
    (input: never) =>
      (verb(input) as Promise<unknown>).catch((error) => {
        throw error instanceof SandboxError ? unreachable(error) : translateDatabaseError(error);
      }),
  ]);
  return Object.fromEntries(entries);
}

const unreachable = (cause: SandboxError) =>
  new Problem('sandbox-unreachable', { retryAfterSeconds: cause.retryAfterSeconds ?? 5, cause });
