import { type AgentStep, type Language, newId, Problem, type RunStep, stepIdForKey } from '@holdfast/specs';
import { AgentError } from '../agent/agent-error.ts';
import type { Seal } from '../agent/seal.ts';
import { admitStep } from '../registry/admit-step.ts';
import type { Database } from '../registry/connect.ts';
import { withdrawStep } from '../registry/withdraw-step.ts';
import { agentProblem } from './agent-problem.ts';
import type { Caller } from './caller.ts';
import { type ContextLanguages, isDefaultContext } from './context-languages.ts';
import { type Begin, type DriveDependencies, driveStep } from './drive-step.ts';
import { existingSession, refuseUnlessActive } from './existing-session.ts';
import { type FollowDependencies, repeatedStep } from './follow-step.ts';
import { createLiveStep, type LiveStep, type LiveStepLog, type StepStart } from './live-step.ts';
import type { Route } from './routes.ts';
import type { StepRecorder } from './step-recorder.ts';
import { intentRecord } from './step-records.ts';
import type { Submissions } from './submissions.ts';

export type RunStepDependencies = DriveDependencies &
  FollowDependencies & {
    db: Database;
    seal: Pick<Seal, 'fingerprint'>;
    recorder: StepRecorder;
    liveSteps: Map<string, LiveStepLog>;
    replicaId: string;
    stepTimeoutMs: number;
    isDraining(): boolean;
    interrupt(route: Route, stepId: string): Promise<unknown>;
    contextLanguages: ContextLanguages;
    submissions: Submissions;
    background(work: Promise<unknown>): void;
  };

type RunStepInput = { caller: Caller; sessionId: string; request: RunStep; idempotencyKey?: string };

/**
 * Runs one step: the code starts at once while its intent is being written, unless an `Idempotency-Key` has to be admitted first.
 * Resolves as soon as the agent has taken the step; what follows is read from the live step.
 *
 * @throws Problem where the step did not start; nothing of it is recorded then.
 */
export async function runStep(deps: RunStepDependencies, input: RunStepInput): Promise<LiveStep> {
  if (deps.isDraining()) throw new Problem('draining', { retryAfterSeconds: 1 });
  if (!deps.recorder.healthy) throw new Problem('database-unavailable', { retryAfterSeconds: 1 });
  const { caller, sessionId, request, idempotencyKey } = input;
  const key = { sessionId, tenant: caller.tenant };
  const route = await deps.routes.resolve(key);
  const id = idempotencyKey ? stepIdForKey(sessionId, idempotencyKey) : newId('stp');
  const language = await languageOf(deps, { route, request });
  const start = stepStart(deps, { id, route, request, language });
  if (idempotencyKey) {
    const repeated = await admitOrRepeat(deps, { start, request, caller });
    if (repeated) return repeated;
  }
  try {
    return await send(deps, { start, route, request, isAdmitted: idempotencyKey !== undefined });
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    // The session may have left this sandbox without this replica's knowledge; the registry knows.
    await deps.routes.refresh(key);
    throw agentProblem(deps, { sessionId, error });
  }
}

/** Of a context that a client made, the registry knows the language. Throws Problem 404 where there is no such context. */
async function languageOf(
  { contextLanguages }: Pick<RunStepDependencies, 'contextLanguages'>,
  { route, request: { contextId, language } }: { route: Route; request: RunStep },
): Promise<Language> {
  if (!contextId) return language ?? route.language;
  if (isDefaultContext(contextId)) return contextId;
  return await contextLanguages.find({ sessionId: route.sessionId, contextId });
}

/** A step that a context runs. */
type ContextStep = StepStart & { contextId: string; language: Language };

type Starting = { id: string; route: Route; request: RunStep; language: Language };

function stepStart(
  { stepTimeoutMs }: Pick<RunStepDependencies, 'stepTimeoutMs'>,
  { id, route, request, language }: Starting,
): ContextStep {
  return {
    id,
    sessionId: route.sessionId,
    contextId: request.contextId ?? language,
    language,
    code: request.code,
    actor: request.actor,
    epoch: route.epoch,
    timeoutMs: request.timeoutSeconds ? Math.ceil(request.timeoutSeconds * 1000) : stepTimeoutMs,
    queuedAt: new Date(),
  };
}

type Admission = { start: ContextStep; request: RunStep; caller: Caller };

/** Null where the step is admitted, else what became of the request that came first with this key. */
async function admitOrRepeat(
  deps: RunStepDependencies,
  { start, request, caller }: Admission,
): Promise<LiveStep | null> {
  const fingerprint = deps.seal.fingerprint(JSON.stringify(request));
  const step = intentRecord(start, { replicaId: deps.replicaId, isKnown: false });
  const number = await admitStep(deps.db, { step, fingerprint });
  if (number !== null) return null;
  const repeated = await repeatedStep(deps, { sessionId: start.sessionId, stepId: start.id, fingerprint });
  if (repeated) return repeated;
  refuseUnlessActive(await existingSession(deps.db, { id: start.sessionId, tenant: caller.tenant }));
  throw new Problem('sandbox-unreachable', { detail: 'the session has a new sandbox', retryAfterSeconds: 1 });
}

type Sending = { start: ContextStep; route: Route; request: RunStep };

/** Resolves with the first frame; rejects where the agent did not take the step. */
async function send(
  deps: RunStepDependencies,
  { start, route, request, isAdmitted }: Sending & { isAdmitted: boolean },
): Promise<LiveStep> {
  const onDisconnected = () => {
    if (request.onDisconnect === 'interrupt') deps.interrupt(route, start.id).catch(() => {});
  };
  const live = createLiveStep(start, { onDisconnected });
  const intent = intentRecord(start, { replicaId: deps.replicaId, isKnown: isAdmitted });
  const known = isAdmitted ? Promise.resolve() : deps.recorder.intent(intent);
  known.then(live.show);
  deps.liveSteps.set(start.id, live);
  const turn = deps.submissions.join(`${start.sessionId}/${start.contextId}`);
  live.begun.then(turn.release);
  const begin: Begin = async (to, onFrames, signal) => {
    if (turn.before) await turn.before;
    const body = agentStep({ start, request, acks: deps.acknowledgements.take(to.sandboxUid) });
    await deps.agents.stream(to, { path: '/v1/steps', body, onFrames, signal });
  };
  const ended = driveStep(deps, { live, route, intent, begin }).finally(() => {
    turn.release();
    deps.liveSteps.delete(start.id);
  });
  try {
    await Promise.race([live.begun, ended]);
    deps.background(ended);
    return live;
  } catch (error) {
    if (isAdmitted || !deps.recorder.withdraw(start.id)) {
      await known;
      await withdrawStep(deps.db, { id: start.id, replicaId: deps.replicaId });
    }
    throw error;
  }
}

type Sent = { start: ContextStep; request: RunStep; acks: string[] };

function agentStep({ start, request, acks }: Sent): AgentStep {
  return {
    stepId: start.id,
    contextId: start.contextId,
    code: start.code,
    timeoutMs: start.timeoutMs,
    queue: request.queue,
    ...(isDefaultContext(start.contextId) && { language: start.language }),
    ...(request.env && { env: request.env }),
    ...(request.stdin && { stdin: true }),
    ...(request.ifContextEpoch && { ifContextEpoch: request.ifContextEpoch }),
    acks,
  };
}
