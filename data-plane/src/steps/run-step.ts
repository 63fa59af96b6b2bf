import type { AgentStep } from '@holdfast/specs/agent';
import { type Language, newId, type RunStep, stepIdForKey } from '@holdfast/specs/public';
import { type ContextLanguages, isDefaultContext } from '../contexts/context-languages.ts';
import type { Seal } from '../keys/seal.ts';
import type { Caller } from '../sessions/caller.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import { type AdmitDependencies, admitStep } from './admit-step.ts';
import type { Begin } from './drive-step.ts';
import type { LiveStep, StepStart } from './live-step.ts';
import { refuseUnlessRecording } from './refuse-unless-recording.ts';
import { type SendDependencies, sendStep } from './send-step.ts';
import type { SubmissionOrder } from './send-order.ts';

export type RunStepDependencies = AdmitDependencies &
  SendDependencies & {
    seal: Pick<Seal, 'fingerprint'>;
    stepTimeoutMs: number;
    isDraining(): boolean;
    interrupt(route: Route, stepId: string): Promise<unknown>;
    contextLanguages: ContextLanguages;
    submissions: SubmissionOrder;
  };

type RunStepInput = { caller: Caller; sessionId: string; request: RunStep; idempotencyKey?: string };

/**
 * Runs one step: the code starts at once while its intent is being written, unless an `Idempotency-Key` has to be admitted first.
 * Resolves as soon as the agent has taken the step; what follows is read from the live step.
 *
 * @throws Problem where the step did not start; nothing of it is recorded then.
 */
export async function runStep(deps: RunStepDependencies, input: RunStepInput): Promise<LiveStep> {
  refuseUnlessRecording(deps);
  const { caller, sessionId, request, idempotencyKey } = input;
  const route = await deps.routes.resolve({ sessionId, tenant: caller.tenant });
  const id = idempotencyKey ? stepIdForKey(sessionId, idempotencyKey) : newId('stp');
  const language = await languageOf(deps, { route, request });
  const start = stepStart(deps, { id, route, request, language });
  if (idempotencyKey) {
    const fingerprint = deps.seal.fingerprint(JSON.stringify(request));
    const repeated = await admitStep(deps, { start, tenant: caller.tenant, fingerprint });
    if (repeated) return repeated;
  }
  const turn = deps.submissions.join(`${sessionId}/${start.contextId}`);
  const begin: Begin = async (to, onFrames, signal) => {
    if (turn.before) await turn.before;
    const body = agentStep({ start, request, acks: deps.acknowledgements.take(to.sandboxUid) });
    await deps.agents.stream(to, { path: '/v1/steps', body, onFrames, signal });
  };
  const onDisconnected = () => {
    if (request.onDisconnect === 'interrupt') deps.interrupt(route, id).catch(() => {});
  };
  const isAdmitted = idempotencyKey !== undefined;
  return await sendStep(deps, { start, route, isAdmitted, begin, onTaken: turn.release, onDisconnected });
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
    job: null,
    actor: request.actor,
    epoch: route.epoch,
    timeoutMs: request.timeoutSeconds ? Math.ceil(request.timeoutSeconds * 1000) : stepTimeoutMs,
    queuedAt: new Date(),
  };
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
