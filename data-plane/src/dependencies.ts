import { Problem } from '@holdfast/specs';
import { createAuthenticate } from './access/authenticate.ts';
import { createApiKey } from './access/create-api-key.ts';
import { listApiKeys } from './access/list-api-keys.ts';
import { revokeApiKey } from './access/revoke-api-key.ts';
import { createAgentClient } from './agent/agent-client.ts';
import type { Seal } from './agent/seal.ts';
import type { SigningKeys } from './agent/signing-keys.ts';
import type { Config } from './config.ts';
import type { Contents } from './content/contents.ts';
import type { Verbs } from './http/verbs.ts';
import type { Logger } from './observability/logger.ts';
import type { Metrics } from './observability/metrics.ts';
import { patiently } from './patiently.ts';
import { createHints } from './reconcile/hints.ts';
import { lookAtEndedSandbox } from './reconcile/look-at-ended-sandbox.ts';
import type { ReconcileDependencies } from './reconcile/reconcile.ts';
import { lookAt } from './reconcile/resync.ts';
import { createWarmPools } from './reconcile/warm-pools.ts';
import type { Database } from './registry/connect.ts';
import { databaseUnavailable, isPermanent, translateDatabaseError } from './registry/database-error.ts';
import { recordSteps, type StepRecord } from './registry/record-steps.ts';
import { storeToken } from './registry/store-token.ts';
import { type Runtime, SandboxError } from './runtimes/runtime.ts';
import { getArtifact } from './sessions/artifacts/get-artifact.ts';
import { keepStep } from './sessions/artifacts/keep-step.ts';
import { listArtifacts } from './sessions/artifacts/list-artifacts.ts';
import { openArtifact } from './sessions/artifacts/open-artifact.ts';
import { createBackground } from './sessions/background.ts';
import { completeCode } from './sessions/contexts/complete-code.ts';
import { createContextLanguages } from './sessions/contexts/context-languages.ts';
import { createContext } from './sessions/contexts/create-context.ts';
import { deleteContext } from './sessions/contexts/delete-context.ts';
import { inspectCode } from './sessions/contexts/inspect-code.ts';
import { listBackground } from './sessions/contexts/list-background.ts';
import { listContexts } from './sessions/contexts/list-contexts.ts';
import { restartContext } from './sessions/contexts/restart-context.ts';
import { createSession } from './sessions/create-session.ts';
import { deleteSession } from './sessions/delete-session.ts';
import { endSession } from './sessions/end-session.ts';
import { createEndedSandboxes } from './sessions/ended-sandboxes.ts';
import { deleteFile } from './sessions/files/delete-file.ts';
import { listFiles } from './sessions/files/list-files.ts';
import { makeDirectory } from './sessions/files/make-directory.ts';
import { moveFile } from './sessions/files/move-file.ts';
import { putArchive } from './sessions/files/put-archive.ts';
import { putFile } from './sessions/files/put-file.ts';
import { readArchive } from './sessions/files/read-archive.ts';
import { readFile } from './sessions/files/read-file.ts';
import { getSession } from './sessions/get-session.ts';
import { getSessionContext } from './sessions/get-session-context.ts';
import { afterJob } from './sessions/jobs/after-job.ts';
import { openJobFile } from './sessions/jobs/open-job-file.ts';
import { runJob } from './sessions/jobs/run-job.ts';
import { viewJob } from './sessions/jobs/view-job.ts';
import { type LeaveDependencies, startLeaving } from './sessions/leave-active.ts';
import { listSessions } from './sessions/list-sessions.ts';
import { readiness } from './sessions/readiness.ts';
import { createRoutes } from './sessions/routes.ts';
import { createSessionTurns } from './sessions/session-turns.ts';
import { createAcknowledgements } from './sessions/steps/acknowledgements.ts';
import { followStep } from './sessions/steps/follow-step.ts';
import { getStep } from './sessions/steps/get-step.ts';
import { interruptAtAgent, interruptStep } from './sessions/steps/interrupt-step.ts';
import { listSteps } from './sessions/steps/list-steps.ts';
import type { LiveStepLog } from './sessions/steps/live-step.ts';
import { readOutput } from './sessions/steps/read-output.ts';
import { runStep } from './sessions/steps/run-step.ts';
import { sendStdin } from './sessions/steps/send-stdin.ts';
import { stepInNeed } from './sessions/steps/step-in-need.ts';
import { createStepRecorder } from './sessions/steps/step-recorder.ts';
import { createSubmissions } from './sessions/steps/submissions.ts';
import { updateSession } from './sessions/update-session.ts';

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

  const agents = createAgentClient({
    issuer: config.deployment,
    keys: signing,
    onConnections: metrics.agentConnections,
    storeToken: ({ sessionId, epoch, token }, previousExpiresAt) =>
      background.add(
        seal
          .close(token.token)
          .then((sealed) =>
            storeToken(db, { sessionId, epoch, previousExpiresAt, token: sealed, tokenExpiresAt: token.expiresAt }),
          ),
      ),
  });
  const acknowledgements = createAcknowledgements({ agents });
  const recorder = createStepRecorder({
    write: (rows) => recordSteps(historyDb, rows),
    writeLarge: (rows) => recordSteps(db, rows),
    isPermanent,
    isUnavailable: databaseUnavailable,
    onBatch: metrics.recordBatch,
    onFailure: (err) => log.error({ err, unavailable: databaseUnavailable(err) }, 'steps could not be recorded'),
  });

  const leave: LeaveDependencies = {
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
  const hints = createHints({
    look: (sessionId) => lookAt({ ...leave, log }, sessionId),
    onError: (err, sessionId) => log.error({ sessionId, err }, 'a session could not be looked at'),
  });
  const endings = createHints({
    look: (uid) => lookAtEndedSandbox({ ...leave, log, hint: hints.hint }, uid),
    onError: (err, uid) => log.error({ uid, err }, 'a sandbox that has ended could not be looked at'),
  });
  const endedSandboxes = createEndedSandboxes();
  runtime.onEnded(({ uid }) => {
    endedSandboxes.add(uid);
    endings.hint(uid);
  });
  const shared = {
    ...leave,
    acknowledgements,
    contents,
    turns: createSessionTurns(),
    limits: config.files,
    now: () => new Date(),
    log,
    seal,
    replicaId: replica.id,
    liveSteps,
    isDraining,
    hint: hints.hint,
    hasEnded: endedSandboxes.has,
  };
  const drive = {
    ...shared,
    recorder,
    condemn: (route: { sessionId: string }, reason: 'step_overran' | 'sandbox_lost', message: string) =>
      background.add(startLeaving(leave, { id: route.sessionId, to: 'failed', reason, message })),
    keep: (ended: Parameters<typeof keepStep>[1]) => keepStep(shared, ended),
    graceMs: config.steps.graceSeconds * 1000,
    onEnd(row: StepRecord) {
      metrics.stepEnded(row);
      if (row.job) background.add(afterJob({ ...leave, log }, row));
    },
  };
  const running = {
    ...drive,
    contextLanguages,
    submissions: createSubmissions(),
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
    viewJob: (input) => viewJob(shared, input),
    getStep: (input) => getStep(shared, input),
    listSteps: (input) => listSteps(shared, input),
    followStep: (input) => followStep(shared, input),
    interruptStep: (input) => interruptStep(shared, input),
    stepInNeed: (live) => stepInNeed(shared, live),
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

  const reconciling: ReconcileDependencies = {
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
        const rest = Promise.all([warmPools.close(), endings.settled(), hints.settled()]);
        rest.catch(() => {});
        // A step that outlasted the drain goes to another replica, the sooner the better; so does whatever else is under way.
        if (liveSteps.size === 0) {
          await rest;
          await background.settled();
        }
        await recorder.drained();
      };
      await patiently(settled, { force }).finally(async () => {
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
