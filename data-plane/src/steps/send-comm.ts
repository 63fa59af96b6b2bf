import { languagesWithComms, Problem, type SendComm } from '@holdfast/specs/public';
import { isDefaultContext } from '../contexts/context-languages.ts';
import type { Caller } from '../sessions/caller.ts';
import type { LiveStep } from './live-step.ts';
import { type RunStepDependencies, runStep } from './run-step.ts';

type SendCommInput = {
  caller: Caller;
  sessionId: string;
  contextId: string;
  request: SendComm;
  idempotencyKey?: string | undefined;
};

/**
 * Sends a message to a comm in a kernel. The kernel's handlers are code of the user, so a step without code runs them: it waits for its
 * turn, can be interrupted, and records what they did. Resolves as soon as the agent has taken the step.
 *
 * @throws Problem as `runStep` does, and 422 if the context's language has no comms
 */
export async function sendComm(deps: RunStepDependencies, input: SendCommInput): Promise<LiveStep> {
  const { caller, sessionId, contextId, request, idempotencyKey } = input;
  const { actor, actorName, timeoutSeconds, targetName = null, ...message } = request;
  const route = await deps.routes.resolve({ sessionId, tenant: caller.tenant });
  const language = isDefaultContext(contextId)
    ? contextId
    : await deps.contextLanguages.find({ sessionId: route.sessionId, contextId });
  if (!languagesWithComms.has(language)) {
    throw new Problem('unsupported-by-runtime', { detail: `contexts of ${language} have no comms` });
  }
  return await runStep(deps, {
    caller,
    sessionId,
    request: {
      code: '',
      contextId,
      actor,
      actorName,
      timeoutSeconds,
      stdin: false,
      queue: 'wait',
      onDisconnect: 'continue',
    },
    comm: { ...message, targetName },
    idempotencyKey,
  });
}
