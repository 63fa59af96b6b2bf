import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers';
import { users } from '../realm/users-realm.js';
import { describeError, describeSyntaxError } from '../show/describe-error.js';
import { showValue } from '../show/show-value.js';
import { evaluateStep } from './evaluate-step.js';
import { evaluateExpression } from './expressions.js';
import { afterLastCall } from './last-call.js';
import { setEnvironment } from './step-environment.js';
import { createStepUsage } from './step-usage.js';

const { Error: UsersError } = users;
const unobserved = 'the end of this step is unknown: its code has terminated its own execution, or has changed Promise';

/** Runs steps one at a time. An interrupted step has ended, even if its evaluation goes on. */
export function createStepRunner({
  channel,
  evaluator,
  interrupts,
  globals,
  streams,
  children,
  lateErrors,
  symbols,
  sources,
  boundNames,
}) {
  const { scopes, output, input, lastValues } = globals;
  const measureUsage = createStepUsage();
  let running = null;

  const finish = (step, status, messages, { exitCode } = {}) => {
    if (running !== step) return;
    interrupts.end(step.number);
    running = null;
    if (status === 'interrupted' || exitCode !== undefined) scopes.abandon(step.scope);
    else scopes.close(step.scope);
    input.close(step.scope);
    step.restoreEnvironment();
    if (status !== 'succeeded' || exitCode !== undefined) boundNames.forget(evaluator.initialize(step.code));
    lateErrors.listen();
    output.flush();
    streams.endStep();
    const late = children.areLiving() ? { late: true } : {};
    const usage = measureUsage(performance.now() - step.startedAtMs);
    channel.send(...messages, { type: 'done', stepId: step.stepId, status, exitCode, ...usage, ...late });
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
    // An interrupt may also end a program that the step waits for, and the step then fails by its own error.
    const status = interrupts.came(step.number) ? 'interrupted' : 'failed';
    if (!step.silent) lastValues.setError(thrown);
    failed(step, status, describeError(thrown, sources));
  };

  const conclude = (step, outcome) => {
    if (running !== step) return;
    if (outcome.terminated) {
      // The inspector gives the same answer if the code ends its own execution, or if its promise cannot be awaited.
      return interrupts.came(step.number) ? interrupted(step) : fail(step, new UsersError(unobserved));
    }
    if (outcome.rejected) {
      const { rejected, line, column } = outcome;
      if (!step.silent) lastValues.setError(rejected);
      return failed(step, 'failed', describeSyntaxError(rejected, { ...step, line, column }));
    }
    if ('thrown' in outcome) return fail(step, outcome.thrown);
    // A callback that waits for a line belongs to the program as well, which would not end before it in a process.
    input.onceAnswered(step.scope, () => running === step && succeed(step, outcome.value));
  };

  const succeed = (step, value) => {
    let data;
    try {
      data = showValue(value);
    } catch (error) {
      return fail(step, error);
    }
    if (!step.silent) lastValues.setValue(value);
    const results = data ? [{ type: 'result', stepId: step.stepId, data, metadata: {}, isMain: true }] : [];
    if (!step.expressions) return finish(step, 'succeeded', results);
    for (const result of results) sendNow(result);
    evaluateNext(step, Object.entries(step.expressions));
  };

  const sendNow = (message) => {
    streams.placeMessage();
    channel.send(message);
  };

  const evaluateNext = (step, [next, ...others]) => {
    if (!next) return finish(step, 'succeeded', []);
    const [name, code] = next;
    scopes.run(step.scope, () =>
      evaluateExpression({ evaluator, sources }, code, (value) => {
        if (running !== step) return;
        if (value === null) return conclude(step, { terminated: true });
        sendNow({ type: 'expression', stepId: step.stepId, name, value });
        evaluateNext(step, others);
      }),
    );
  };

  return {
    run(request) {
      const filename = `[step-${request.number}]`;
      const step = { ...request, filename, scope: scopes.open(request), startedAtMs: performance.now() };
      running = step;
      interrupts.begin(step.number);
      if (step.streams) streams.replace(step.streams);
      streams.begin(step);
      step.restoreEnvironment = setEnvironment(step.env ?? {});
      if (interrupts.came(step.number)) return interrupted(step);
      sources.add(step);
      input.open(step.scope);
      scopes.run(step.scope, () =>
        evaluateStep({ evaluator, sources, boundNames }, step, (outcome) =>
          afterLastCall(step, outcome, (outcome) => setImmediate(() => conclude(step, outcome))),
        ),
      );
    },
    /** Ends the running step because code of this scope exits. */
    exit(scope, exitCode) {
      if (running === null || running.scope !== scope) return;
      if (exitCode === 0) return finish(running, 'succeeded', [], { exitCode });
      const message = `${exitCode}`;
      const error = { name: 'Exit', message, traceback: [`Exit: ${message}`] };
      finish(running, 'failed', [{ type: 'error', stepId: running.stepId, ...error }], { exitCode });
    },
    abandon(number) {
      if (running?.number === number) interrupted(running);
    },
    /** Ends the running step by an error that no code has caught. Returns false if no step runs. */
    failBy(thrown) {
      if (running === null) return false;
      fail(running, thrown);
      return true;
    },
  };
}
