import { AgentError } from '../agent/agent-error.ts';
import type { Database } from '../registry/connect.ts';
import { withdrawStep } from '../registry/steps/withdraw-step.ts';
import { agentProblem } from '../sessions/agent-problem.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import { type Begin, type DriveDependencies, driveStep } from './drive-step.ts';
import { createLiveStep, type LiveStep, type LiveStepLog, type StepStart } from './live-step.ts';
import { intentRecord } from './intent-and-end.ts';
import type { StepRecorder } from './recording/step-recorder.ts';

export type SendDependencies = DriveDependencies & {
  db: Database;
  recorder: StepRecorder;
  liveSteps: Map<string, LiveStepLog>;
  replicaId: string;
  background(work: Promise<unknown>): void;
};

type Sending = {
  start: StepStart;
  route: Route;
  /** Whether the registry has its row already; else its intent is written while the code already starts. */
  isAdmitted: boolean;
  begin: Begin;
  /** The agent has taken the step, or will not. */
  onTaken?: () => void;
  onDisconnected?: () => void;
};

/**
 * Sends a step and follows it to its end. Resolves with the first frame; what follows is read from the live step.
 * @throws Problem, or what `begin` throws, where the step did not start; nothing of it is recorded then.
 */
export async function sendStep(
  deps: SendDependencies,
  { start, route, isAdmitted, begin, onTaken = () => {}, onDisconnected = () => {} }: Sending,
): Promise<LiveStep> {
  const live = createLiveStep(start, { onDisconnected });
  const intent = intentRecord(start, { replicaId: deps.replicaId, isKnown: isAdmitted });
  const known = isAdmitted ? Promise.resolve() : deps.recorder.intent(intent);
  known.then(live.show);
  deps.liveSteps.set(start.id, live);
  live.begun.then(onTaken);
  const ended = driveStep(deps, { live, route, intent, begin }).finally(() => {
    onTaken();
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
    if (!(error instanceof AgentError)) throw error;
    // The session may have left this sandbox without this replica's knowledge; the registry knows.
    await deps.routes.refresh(route);
    throw agentProblem(deps, { sessionId: start.sessionId, error });
  }
}
