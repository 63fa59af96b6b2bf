import { explainFailedCall } from '../sessions/agent-problem.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import type { AdmittedStep } from './admit-step.ts';
import { type DriveDependencies, driveStep } from './drive-step.ts';
import type { SendToAgent } from './frames/read-to-end.ts';
import { createLiveStep, type LiveStep, type LiveStepLog, type StepStart } from './live-step.ts';

export type SendDependencies = DriveDependencies & {
  liveSteps: Map<string, LiveStepLog>;
  background(work: Promise<unknown>): void;
};

type Sending = {
  start: StepStart;
  route: Route;
  admission: AdmittedStep;
  send: SendToAgent;
  /** Called once the agent has taken the step or never will; may be called twice. */
  onTaken?: () => void;
  onDisconnected?: () => void;
};

/**
 * Sends an admitted step and starts to drive it to its end. Resolves with the first frame; the rest is read from the live step.
 *
 * @throws Problem, or the error that `send` throws, if the step did not start. Nothing of it is recorded then.
 */
export async function sendStep(
  deps: SendDependencies,
  { start, route, admission, send, onTaken = () => {}, onDisconnected = () => {} }: Sending,
): Promise<LiveStep> {
  const live = createLiveStep(start, { onDisconnected });
  admission.recorded.then(live.show);
  deps.liveSteps.set(start.id, live);
  live.begun.then(onTaken);
  const ended = driveStep(deps, { live, route, intent: admission.intent, send }).finally(() => {
    onTaken();
    deps.liveSteps.delete(start.id);
  });
  try {
    await Promise.race([live.begun, ended]);
    deps.background(ended);
    return live;
  } catch (error) {
    await admission.withdraw();
    throw await explainFailedCall(deps, { key: route, error });
  }
}
