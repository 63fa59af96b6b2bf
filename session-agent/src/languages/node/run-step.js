import process from 'node:process';
import { setImmediate } from 'node:timers';
import { declaredNames } from './declared-names.js';
import { describeError, describeSyntaxError } from './describe-error.js';
import { endStoppedExit } from './end-stopped-exit.js';
import { evaluateStep } from './evaluate-step.js';
import { show } from './show.js';
import { setEnvironment } from './step-environment.js';

/** Runs steps one at a time. An interrupted step has ended, whatever its evaluation still does. */
export function createStepRunner({
  channel,
  evaluator,
  interrupts,
  visible,
  streams,
  children,
  lateErrors,
  symbols,
  sources,
}) {
  const { scopes, output, input, lastValues } = visible;
  let running = null;

  const finish = (step, status, messages) => {
    if (running !== step) return;
    if (process._exiting) channel.send(...messages);
    endStoppedExit();
    interrupts.end(step.number);
    running = null;
    if (status === 'interrupted') scopes.abandon(step.scope);
    else scopes.close(step.scope);
    input.close(step.scope);
    step.restoreEnvironment();
    if (status !== 'succeeded') evaluator.initialize(new Set(declaredNames(step.code)));
    lateErrors.listen();
    output.flush();
    streams.endStep(step.nonce);
    const late = children.areLiving() ? { late: true } : {};
    channel.send(...messages, { type: 'done', stepId: step.stepId, status, ...late });
    symbols.note(step);
  };

  const failed = (step, status, error) => finish(step, status, [{ type: 'error', stepId: step.stepId, ...error }]);

  const interrupted = (step) => {
    failed(step, 'interrupted', {
      name: 'Interrupted',
      message: 'the step was interrupted',
      traceback: ['Interrupted'],
    });
  };

  const fail = (step, thrown) => {
    // An interrupt may also end a program that the step waits for, and so the step by an error of its own.
    const status = interrupts.came(step.number) ? 'interrupted' : 'failed';
    lastValues.keepError(thrown);
    failed(step, status, describeError(thrown, sources));
  };

  const conclude = (step, outcome) => {
    if (running !== step) return;
    if (outcome.terminated) return interrupted(step);
    if (outcome.rejected) {
      const { rejected, line, column } = outcome;
      lastValues.keepError(rejected);
      return failed(step, 'failed', describeSyntaxError(rejected, { ...step, line, column }));
    }
    if ('thrown' in outcome) return fail(step, outcome.thrown);
    let data;
    try {
      data = show(outcome.value);
    } catch (error) {
      return fail(step, error);
    }
    lastValues.keepValue(outcome.value);
    const results = data ? [{ type: 'result', stepId: step.stepId, data, metadata: {}, isMain: true }] : [];
    finish(step, 'succeeded', results);
  };

  return {
    run(request) {
      const filename = `[step-${request.number}]`;
      const step = { ...request, filename, scope: scopes.open(request) };
      running = step;
      interrupts.begin(step.number);
      if (step.streams) streams.take(step.streams);
      step.restoreEnvironment = setEnvironment(step.env ?? {});
      if (interrupts.came(step.number)) return interrupted(step);
      sources.keep(step);
      input.open(step.scope);
      scopes.run(step.scope, () =>
        evaluateStep({ evaluator, sources }, step, (outcome) => setImmediate(() => conclude(step, outcome))),
      );
    },
    abandon(number) {
      if (running?.number === number) interrupted(running);
    },
    /** Ends the running step by an error that came to nobody; false where none runs. */
    failBy(thrown) {
      if (running === null) return false;
      fail(running, thrown);
      return true;
    },
  };
}
