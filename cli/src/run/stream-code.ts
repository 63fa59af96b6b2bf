import type { RunOptions, Session, Step, StepEvent } from '@holdfast/sdk';
import { inputAnswers } from './answer-input.ts';
import { leavesAtOnce, onStop, type Stop } from './stops.ts';

export type StreamCode = {
  session: Session;
  code: string;
  options: RunOptions;
  show(event: StepEvent): Promise<void>;
};

/** Also when the command leaves, the step of a session that stays hears of it. */
export const interruptMsMax = 5000;

/** The end of the step, or the reason why the command left before it. */
export type Streamed = { step: Step } | { left: Stop };

/**
 * Runs code and shows its events. The first Ctrl-C interrupts the step, whose end is then shown; the second one, or a terminal or reader
 * that is gone, ends the command.
 */
export async function streamCode({ session, code, options, show }: StreamCode): Promise<Streamed> {
  const leave = new AbortController();
  // A repl has its own way to answer.
  const answers = options.input ? null : inputAnswers();
  let stepId: string | undefined;
  let stop: Stop | undefined;
  /** A question for input ends after it, since its code would otherwise see the end of the input before the interrupt. */
  const interrupt = async () => {
    if (stepId === undefined) return;
    // A step that has ended by now needs none, and one that cannot be reached has its own deadline.
    await session.steps.interrupt(stepId, { signal: AbortSignal.timeout(interruptMsMax) }).catch(() => {});
    answers?.close();
  };
  using _stops = onStop((heard, times) => {
    stop = heard;
    void interrupt();
    if (leavesAtOnce(heard, times)) leave.abort();
  });
  try {
    for await (const event of session.stream(code, { input: answers?.input, ...options, signal: leave.signal })) {
      const isFirst = stepId === undefined;
      stepId = event.stepId;
      if (isFirst && stop) void interrupt();
      await show(event);
      if (event.type === 'finished') return { step: event.step };
    }
  } catch (error) {
    if (!stop || !leave.signal.aborted) throw error;
  } finally {
    answers?.close();
  }
  return { left: stop ?? 'SIGTERM' };
}
