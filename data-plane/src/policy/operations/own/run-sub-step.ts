import { Problem, type RunStep, runStepSchema, type Step, subStepId } from '@holdfast/specs/public';
import { isLong } from '../../../reading/json-slices.ts';
import type { Database } from '../../../registry/connect.ts';
import { listAncestors } from '../../../registry/steps/list-ancestors.ts';
import type { Caller } from '../../../sessions/caller.ts';
import type { LiveStep } from '../../../steps/live-step.ts';
import type { StepAnswer } from '../../../steps/step-from-row.ts';
import { type OperationCaller, OperationFailed } from './own-operation.ts';

type StepKey = { caller: Caller; sessionId: string; stepId: string };

export type SubStepDependencies = {
  db: Database;
  runStep(input: {
    caller: Caller;
    sessionId: string;
    request: RunStep;
    sub: { id: string; parentStepId: string };
  }): Promise<LiveStep>;
  followStep(key: StepKey): Promise<LiveStep>;
  interruptStep(key: StepKey): Promise<unknown>;
};

/** The part of a request for a step that code may choose. */
export type SubStepRequest = Pick<RunStep, 'code' | 'contextId' | 'language' | 'timeoutSeconds' | 'env'>;

/** The part of a step that the code which runs it gets. */
export type SubStepResult = Pick<Step, 'status' | 'stdout' | 'stderr' | 'results' | 'error'> & { stepId: string };

/** Steps that run each other, the first one included. */
const depthMax = 8;

/**
 * Runs a step for the code of another one, and waits for its end. Its id follows from the call and `index`, so after a hand-over the
 * same step is found. It never waits for a context: steps that wait for each other would wait forever.
 *
 * @throws OperationFailed or Problem
 */
export async function runSubStep(
  deps: SubStepDependencies,
  { step, operationId }: OperationCaller,
  { index, ...request }: SubStepRequest & { index: number },
): Promise<SubStepResult> {
  const { live, route, signal } = step;
  const { sessionId } = live;
  await refuseUnlessApart(deps, { step }, request.contextId ?? request.language ?? route.language);
  const caller: Caller = { tenant: route.tenant, scopes: new Set(['run']), keyId: null };
  const stepId = subStepId(operationId, index);
  const sub = { id: stepId, parentStepId: live.id };
  const asked = runStepSchema.parse({ ...request, actor: live.actor, queue: 'reject' });
  const key = { caller, sessionId, stepId };
  const running = await deps.runStep({ caller, sessionId, request: asked, sub }).catch((error) => {
    // Before a hand-over, another replica has run it.
    if (error instanceof Problem && error.slug === 'idempotency-conflict') return deps.followStep(key);
    throw error;
  });
  const ended = await untilEnded(running, { onRequest: (request) => live.noteRequest(request), signal });
  if (!ended) {
    await deps.interruptStep(key);
    throw new OperationFailed('interrupted', 'the step that runs this one has ended');
  }
  if (isLong(ended)) {
    throw new OperationFailed(
      'ValueTooLarge',
      `the output of step ${stepId} is too long; it is in the session's history`,
    );
  }
  const { status, stdout, stderr, results, error } = ended;
  return { stepId, status, stdout, stderr, results, error };
}

async function refuseUnlessApart(
  { db }: Pick<SubStepDependencies, 'db'>,
  { step: { live } }: Pick<OperationCaller, 'step'>,
  contextId: string,
): Promise<void> {
  const { id, contextId: own, start, sessionId } = live;
  const above = start.parentStepId ? await listAncestors(db, { sessionId, stepId: start.parentStepId }) : [];
  const line = [{ id, contextId: own }, ...above];
  if (line.length >= depthMax) {
    throw new OperationFailed('too-deep', `steps can run each other at most ${depthMax - 1} deep`);
  }
  if (line.some((waiting) => waiting.contextId === contextId)) {
    const detail = `the context ${contextId} waits for this very call; run the code in another context`;
    throw new OperationFailed('context-busy', detail);
  }
}

type Waiting = { onRequest: (request: object) => void; signal: AbortSignal };

/** Null if `signal` aborts first. */
function untilEnded(sub: LiveStep, { onRequest, signal }: Waiting): Promise<StepAnswer | null> {
  return new Promise((resolve, reject) => {
    let lastRequest: object | null = null;
    const stop = () => {
      unsubscribe();
      signal.removeEventListener('abort', onAbort);
    };
    const onAbort = () => {
      stop();
      resolve(null);
    };
    const onChange = () => {
      if (sub.request && sub.request !== lastRequest) {
        lastRequest = sub.request;
        onRequest(sub.request);
      }
      if (!sub.finished && !sub.failure) return;
      stop();
      if (sub.finished) resolve(sub.finished);
      else reject(sub.failure);
    };
    const unsubscribe = sub.subscribe(onChange);
    signal.addEventListener('abort', onAbort);
    sub.watched();
    if (signal.aborted) onAbort();
    else onChange();
  });
}
