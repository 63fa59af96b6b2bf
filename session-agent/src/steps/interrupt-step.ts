import type { StepLog } from './step-log.ts';
import type { StepMemory } from './step-memory.ts';

type Dependencies = {
  memory: Pick<StepMemory, 'find'>;
  jobs: { interrupt(jobId: string): void };
  contexts: { get(contextId: string): { interrupt(stepId: string): void } };
};

/**
 * Interrupts a step or job, and returns its state at that moment. Does nothing if it has finished. A waiting step ends without having
 * started; a running one is stopped as `step-stop.ts` describes.
 * @throws Problem `not-found` if the id is unknown
 */
export function interruptStep({ memory, jobs, contexts }: Dependencies, stepId: string): StepLog['state'] {
  const step = memory.find(stepId);
  if (!step || step.log.state === 'finished') return 'finished';
  const { state } = step.log;
  if (step.contextId === null) jobs.interrupt(stepId);
  else contexts.get(step.contextId).interrupt(stepId);
  return state;
}
