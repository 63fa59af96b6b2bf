/** Output may name one of this many steps as its origin. */
const stepsMax = 256;

/** Remembers which request ran which step, for the steps that ran last. */
export function createRecentSteps() {
  const steps = new Map<string, string>();
  let lastStepId: string | null = null;
  return {
    add(requestId: string, stepId: string): void {
      lastStepId = stepId;
      steps.set(requestId, stepId);
      const [oldest] = steps.keys();
      if (steps.size > stepsMax && oldest !== undefined) steps.delete(oldest);
    },
    /** The step of the request. Output that names none belongs to the last step. Null if the request ran no step. */
    stepOf: (requestId: string | null): string | null =>
      requestId === null ? lastStepId : (steps.get(requestId) ?? null),
  };
}
