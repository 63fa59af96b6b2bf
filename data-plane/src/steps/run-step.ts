import type { AgentStep } from '@holdfast/specs/agent';
import { type CommMessage, type Language, newId, Problem, type RunStep, stepIdForKey } from '@holdfast/specs/public';
import { type ContextLanguages, isDefaultContext } from '../contexts/context-languages.ts';
import type { Seal } from '../keys/seal.ts';
import { actorOf, type Caller } from '../sessions/caller.ts';
import { existingSession, isInactive } from '../sessions/existing-session.ts';
import { agreeOnPolicy, judge, PolicyChanged, type PolicyDependencies } from '../sessions/policy/under-policy.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import {
  type AdmitDependencies,
  admitStep,
  RouteOutdated,
  refuseByPolicy,
  refuseUnlessRecording,
} from './admit-step.ts';
import { repeatedStep } from './follow-step.ts';
import type { SendToAgent } from './frames/read-to-end.ts';
import type { LiveStep, StepStart } from './live-step.ts';
import type { StepRecorder } from './recording/step-recorder.ts';
import type { SendOrder } from './send-order.ts';
import { asAsked, SandboxReplaced, type SendDependencies, sendStep } from './send-step.ts';

export type RunStepDependencies = AdmitDependencies &
  SendDependencies &
  PolicyDependencies & {
    recorder: StepRecorder;
    seal: Pick<Seal, 'fingerprint'>;
    stepTimeoutMs: number;
    isDraining(): boolean;
    interrupt(route: Route, stepId: string): Promise<unknown>;
    /** Resolves when a paused session is active. */
    resumeSession(caller: Caller, id: string): Promise<unknown>;
    contextLanguages: ContextLanguages;
    sendOrder: SendOrder;
  };

type RunStepInput = {
  caller: Caller;
  sessionId: string;
  request: RunStep;
  /** A message of a front end, which the step handles instead of code. */
  comm?: CommMessage;
  idempotencyKey?: string | undefined;
  /** The step is one that another step's code runs, under an id that follows from the call. */
  sub?: { id: string; parentStepId: string };
  /** Whether the client wants the step's events as they come. */
  isWatched?: boolean;
};

/**
 * Runs one step. Resolves as soon as the agent has taken the step; its events are read from the live step.
 *
 * @throws Problem if the step did not start. Nothing of it is recorded then.
 */
export async function runStep(deps: RunStepDependencies, input: RunStepInput): Promise<LiveStep> {
  try {
    return await runStepOnce(deps, input);
  } catch (error) {
    const earlier = await earlierStep(deps, input, error);
    if (earlier) return earlier;
    const { caller, sessionId, request } = input;
    const isOutdated = error instanceof PolicyChanged;
    const isReplaced = error instanceof SandboxReplaced || error instanceof RouteOutdated;
    const mayResume = request.resume && !caller.share && !isOutdated && !isReplaced;
    const isPaused = mayResume && error instanceof Problem && notActive.has(error.slug);
    if (!isPaused && !isOutdated && !isReplaced) throw error;
    if (isOutdated) await agreeOnPolicy(deps, { sessionId, tenant: caller.tenant });
    if (isPaused) await deps.resumeSession(caller, sessionId);
    return await runStepOnce(deps, input);
  }
}

/** The step of an earlier request with the same key, which is answered also if the session can run no step now. */
async function earlierStep(
  deps: RunStepDependencies,
  { caller, sessionId, request, comm, idempotencyKey }: RunStepInput,
  error: unknown,
): Promise<LiveStep | null> {
  if (!idempotencyKey || !isInactive(error)) return null;
  await existingSession(deps.db, { id: sessionId, tenant: caller.tenant });
  const fingerprint = deps.seal.fingerprint(requestText(request, comm));
  const stepId = stepIdForKey(sessionId, idempotencyKey);
  return await repeatedStep(deps, { sessionId, stepId, fingerprint, mayRun: request.wait === false });
}

/** The session is paused, or another request resumes it just now. */
const notActive: ReadonlySet<string> = new Set(['session-paused', 'session-starting']);

async function runStepOnce(deps: RunStepDependencies, input: RunStepInput): Promise<LiveStep> {
  refuseUnlessRecording(deps);
  const { caller, sessionId, request, comm, idempotencyKey, sub, isWatched } = input;
  const known = deps.routes.resolve({ sessionId, tenant: caller.tenant });
  const resolved = known instanceof Promise ? await known : known;
  const id = sub?.id ?? (idempotencyKey ? stepIdForKey(sessionId, idempotencyKey) : newId('stp'));
  const found = languageOf(deps, { route: resolved, request });
  const language = found instanceof Promise ? await found : found;
  const judged = resolved.policy ? await judge(deps, { route: resolved, language }) : null;
  const route = judged?.route ?? resolved;
  const start = stepStart(deps, { id, caller, route, request, comm, language, parentStepId: sub?.parentStepId });
  const fingerprint = idempotencyKey || sub ? deps.seal.fingerprint(requestText(request, comm)) : null;
  const mayRun = request.wait === false;
  if (judged && !judged.decision.allowed) {
    return await refuseByPolicy(deps, { start, fingerprint, mayRun, rule: judged.decision.rule });
  }
  const wanted = { start, route, tenant: caller.tenant, fingerprint, replay: request.replay, mayRun };
  // A comm message runs handlers of earlier code, and a slider sends many.
  const answer = admitStep(deps, comm ? { ...wanted, iterations: 0 } : wanted);
  const admission = answer instanceof Promise ? await answer : answer;
  if (admission.kind === 'repeated') return admission.live;
  const { timeoutMs } = admission.intent;
  // A step that may ask for input has to be able to show that at once.
  const wantsFramesEarly = isWatched || request.stdin || mayRun;
  if (wantsFramesEarly) deps.recorder.watched(id);
  const place = deps.sendOrder.join(`${sessionId}/${start.contextId}`);
  const send: SendToAgent = (onFrames, signal) => {
    const post = () => {
      const body = agentStep({ start, timeoutMs, request, comm, acks: deps.acknowledgements.take(route.sandboxUid) });
      return deps.agents.stream(route, { path: '/v1/steps', body, onFrames, signal, isWatched: wantsFramesEarly });
    };
    return place.before ? place.before.then(post) : post();
  };
  const onDisconnected = () => {
    if (request.onDisconnect === 'interrupt') deps.interrupt(route, id).catch(() => {});
  };
  try {
    return await sendStep(deps, {
      start: timeoutMs === start.timeoutMs ? start : { ...start, timeoutMs },
      route,
      admission,
      send,
      onTaken: place.release,
      onDisconnected,
    });
  } catch (error) {
    throw asAsked(error, request);
  }
}

/** The parts of a request that a repeat must have, too: not whether the client waits. Pure. */
const requestText = ({ wait: _, ...request }: RunStep, comm: CommMessage | undefined) =>
  JSON.stringify(comm ? { ...request, comm } : request);

/**
 * The language of the context that the request names, or of the one that it means.
 * @throws Problem 404 if a client never created the context
 */
function languageOf(
  { contextLanguages }: Pick<RunStepDependencies, 'contextLanguages'>,
  { route, request: { contextId, language } }: { route: Route; request: RunStep },
): Language | Promise<Language> {
  if (!contextId) return language ?? route.language;
  if (isDefaultContext(contextId)) return contextId;
  return contextLanguages.find({ sessionId: route.sessionId, contextId });
}

/** A step that a context runs. */
type ContextStep = StepStart & { contextId: string; language: Language };

type Starting = {
  id: string;
  caller: Caller;
  route: Route;
  request: RunStep;
  comm: CommMessage | undefined;
  language: Language;
  parentStepId: string | undefined;
};

function stepStart(
  { stepTimeoutMs }: Pick<RunStepDependencies, 'stepTimeoutMs'>,
  { id, caller, route, request, comm, language, parentStepId }: Starting,
): ContextStep {
  return {
    id,
    sessionId: route.sessionId,
    contextId: request.contextId ?? language,
    language,
    code: request.code,
    ...(comm && { requestBytes: JSON.stringify(comm).length }),
    ...(request.record === 'silent' && { isSilent: true }),
    ...(request.expressions && { expressions: request.expressions }),
    job: null,
    ...actorOf(caller, request),
    keyId: caller.keyId,
    epoch: route.epoch,
    timeoutMs: request.timeoutSeconds ? Math.ceil(request.timeoutSeconds * 1000) : stepTimeoutMs,
    queuedAt: new Date(),
    ...(parentStepId && { parentStepId }),
  };
}

type Sent = { start: ContextStep; timeoutMs: number; request: RunStep; comm: CommMessage | undefined; acks: string[] };

function agentStep({ start, timeoutMs, request, comm, acks }: Sent): AgentStep {
  return {
    stepId: start.id,
    contextId: start.contextId,
    code: start.code,
    ...(comm && { comm }),
    timeoutMs,
    queue: request.queue,
    ...(request.onError === 'drop-queue' && { onError: request.onError }),
    ...(isDefaultContext(start.contextId) && { language: start.language }),
    ...(request.env && { env: request.env }),
    ...(request.stdin && { stdin: true }),
    ...(request.replay && { replay: true }),
    ...(start.isSilent && { silent: true }),
    ...(request.expressions && { expressions: request.expressions }),
    ...(request.ifContextEpoch && { ifContextEpoch: request.ifContextEpoch }),
    acks,
  };
}
