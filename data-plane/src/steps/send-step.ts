import { Problem, type RunStep } from '@holdfast/specs/public';
import { AgentError } from '../agent/agent-error.ts';
import { explainFailedCall } from '../sessions/agent-problem.ts';
import { isPolicyChange, PolicyChanged } from '../sessions/policy/under-policy.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import { withDeadline } from '../timing/with-deadline.ts';
import type { AdmittedStep } from './admit-step.ts';
import { type DriveDependencies, driveStep } from './drive-step.ts';
import type { SendToAgent } from './frames/read-to-end.ts';
import { type LiveStep, LiveStepLog, type StepStart } from './live-step.ts';

export type SendDependencies = DriveDependencies & {
  liveSteps: Map<string, LiveStepLog>;
  /** Called when a step of the session has its row. */
  onRecorded(sessionId: string): void;
  background(work: Promise<unknown>): void;
};

/** The step did not start: the route was that of an earlier sandbox. It can be sent to the one that the session has now. */
export class SandboxReplaced extends Problem {
  constructor(sessionId: string) {
    super('session-starting', { detail: `session ${sessionId} has just got another sandbox`, retryAfterSeconds: 1 });
  }
}

type Sending = {
  start: StepStart;
  route: Route;
  admission: AdmittedStep;
  send: SendToAgent;
  /** Called once the agent has taken the step or never will; may be called twice. */
  onTaken?: () => void;
  onDisconnected?: () => void;
};

/** A client that waits for the reason of a refusal does not wait longer than this for the row to be gone. */
const withdrawMs = 2000;

/**
 * Sends an admitted step and starts to drive it to its end. Resolves with the first frame; the rest is read from the live step.
 *
 * @throws Problem, or the error that `send` throws, if the step did not start. Nothing of it is recorded then.
 */
export async function sendStep(
  deps: SendDependencies,
  { start, route, admission, send, onTaken = () => {}, onDisconnected = () => {} }: Sending,
): Promise<LiveStep> {
  const begun = Promise.withResolvers<void>();
  const onBegun = () => {
    onTaken();
    begun.resolve();
  };
  const live = new LiveStepLog(start, { onBegun, onWatched: () => deps.recorder.watched(start.id), onDisconnected });
  // Without a row the step is shown with its end.
  admission.recorded.then((number) => {
    if (number === null) return;
    live.show();
    deps.onRecorded(start.sessionId);
  });
  deps.liveSteps.set(start.id, live);
  let refusal: unknown = null;
  const sendOnce: SendToAgent = (onFrames, signal) =>
    send(onFrames, signal).catch((error) => {
      refusal = refusalOfOlderAgent(error);
      throw refusal;
    });
  // Only a failure of the first request proves that the step did not start.
  const isProof = (error: unknown) => error === refusal && live.received.length === 0;
  const drive = async () => {
    try {
      await driveStep(deps, { live, route, intent: admission.intent, send: sendOnce });
    } catch (error) {
      live.fail(isProof(error) ? (error as Error) : unfinished(start, error));
      throw error;
    } finally {
      onTaken();
      deps.liveSteps.delete(start.id);
    }
  };
  const ended = drive();
  ended.then(begun.resolve, begun.reject);
  try {
    await begun.promise;
  } catch (error) {
    if (!isProof(error)) throw unfinished(start, error);
    await withdraw(deps, admission);
    if (isPolicyChange(error)) throw new PolicyChanged(route.sessionId);
    const problem = await explainFailedCall(deps, { key: route, error });
    const now = deps.routes.cached(route.sessionId);
    throw now && now.epoch > route.epoch ? new SandboxReplaced(route.sessionId) : problem;
  }
  deps.background(ended);
  return live;
}

/** Goes on in the background if the database is away: the client learns at once why its step did not start. */
async function withdraw({ background }: SendDependencies, admission: AdmittedStep): Promise<void> {
  const withdrawn = admission.withdraw();
  background(withdrawn);
  await withDeadline(withdrawn, { ms: withdrawMs, what: 'withdrawing a step' }).catch(() => {});
}

/** The step may run on: the replica that finds it without a follower records how it ends. */
const unfinished = ({ id, sessionId }: StepStart, cause: unknown) =>
  new Problem('internal', {
    detail: `the step goes on, but this answer cannot follow it; read it from /v1/sessions/${sessionId}/steps/${id}`,
    cause,
  });

/** By a field of an agent's step that older agents do not know: the field of the client's request. */
const newFields: ReadonlyMap<string, string> = new Map([
  ['/silent', '/record'],
  ['/expressions', '/expressions'],
]);

/** The request is right: its sandbox is from before an upgrade. Any other error is returned unchanged. */
function refusalOfOlderAgent(error: unknown): unknown {
  if (!(error instanceof AgentError) || error.slug !== 'invalid-request') return error;
  const pointers = error.faults?.flatMap(({ pointer }) => newFields.get(pointer) ?? []) ?? [];
  if (pointers.length === 0) return error;
  const detail = 'the sandbox of this session is from before this was possible: use a new session';
  const faults = pointers.map((pointer) => ({ pointer, detail }));
  return new AgentError('refused', detail, { slug: 'unsupported-by-runtime', faults, cause: error });
}

/**
 * A refusal of the agent, with the fields that the client gave. An agent is told the language of a default context, and refuses that; a client may have
 * named the context alone. Any other error is returned unchanged. Pure.
 */
export function asAsked(error: unknown, { contextId }: Pick<RunStep, 'contextId'>): unknown {
  if (contextId === undefined || !(error instanceof Problem)) return error;
  const { slug, options } = error;
  if (!options.errors?.some(({ pointer }) => pointer === '/language')) return error;
  const errors = options.errors.map((fault) =>
    fault.pointer === '/language' ? { ...fault, pointer: '/contextId' } : fault,
  );
  return new Problem(slug, { ...options, errors });
}
