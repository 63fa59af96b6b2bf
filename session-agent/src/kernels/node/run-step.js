import { describeError, describeSyntaxError } from './describe-error.js';
import { evaluateStep } from './evaluate-step.js';
import { show } from './show.js';

/** Runs steps one at a time. An interrupted step has ended, whatever its evaluation still does. */
export function createStepRunner({ channel, evaluator, interrupts, scopes, streams, symbols }) {
  let running = null;

  const finish = (step, status, messages) => {
    if (running !== step) return;
    interrupts.end(step.number);
    running = null;
    if (status === 'interrupted') scopes.abandon(step.scope);
    else scopes.close(step.scope);
    streams.endStep(step.nonce);
    channel.send(...messages, { type: 'done', stepId: step.stepId, status });
    symbols.note(step);
  };

  const interrupted = (step) => {
    const error = { name: 'Interrupted', message: 'the step was interrupted', traceback: ['Interrupted'] };
    finish(step, 'interrupted', [{ type: 'error', stepId: step.stepId, ...error }]);
  };

  const conclude = (step, outcome) => {
    if (running !== step) return;
    if (outcome.terminated) return interrupted(step);
    // An interrupt may also end a program that the step waits for, and so the step by an error of its own.
    const failure = interrupts.came(step.number) ? 'interrupted' : 'failed';
    const fail = (error) => finish(step, failure, [{ type: 'error', stepId: step.stepId, ...error }]);
    if (outcome.rejected) {
      const { rejected, line, column } = outcome;
      return fail(describeSyntaxError(rejected, { filename: step.filename, line, column, code: step.code }));
    }
    if ('thrown' in outcome) return fail(describeError(outcome.thrown));
    let data;
    try {
      data = show(outcome.value);
    } catch (error) {
      return fail(describeError(error));
    }
    const results = data ? [{ type: 'result', stepId: step.stepId, data, metadata: {}, isMain: true }] : [];
    finish(step, 'succeeded', results);
  };

  return {
    run(request) {
      const step = { ...request, filename: `[step-${request.number}]`, scope: scopes.open() };
      running = step;
      interrupts.begin(step.number);
      if (interrupts.came(step.number)) return interrupted(step);
      scopes.run(step.scope, () => evaluateStep(evaluator, step, (outcome) => conclude(step, outcome)));
    },
    abandon(number) {
      if (running?.number === number) interrupted(running);
    },
  };
}
