import process from 'node:process';
import { openChannel } from './channel.js';
import { complete } from './complete.js';
import { createEvaluator } from './evaluate.js';
import { inspectAt } from './inspect-at.js';
import { listenForInterrupts } from './interrupt.js';
import { reportLateErrors } from './late-errors.js';
import { watchChildren } from './living-children.js';
import { createStepRunner } from './run-step.js';
import { createStaticScope } from './static-scope.js';
import { createStepSources } from './step-sources.js';
import { holdStreams } from './streams.js';
import { createSymbols } from './symbols.js';

const partCharacters = 1024 * 1024;

/** Announces the kernel, then answers one request after the other until the agent is gone. */
export function startKernel(visible) {
  const { output, input } = visible;
  const evaluator = createEvaluator();
  const streams = holdStreams();
  const symbols = createSymbols(evaluator);
  const channel = openChannel((request) => answers[request.type]?.(request));
  const interrupts = listenForInterrupts({
    onInterrupt: (number) => runner.abandon(number),
    absorb: evaluator.absorb,
  });
  const children = watchChildren({ ownWorker: interrupts.worker });
  const sources = createStepSources();
  const lateErrors = reportLateErrors({ isFatalToStep: (error) => input.isRefusal(error) && runner.failBy(error) });
  lateErrors.listen();
  const runner = createStepRunner({
    channel,
    evaluator,
    interrupts,
    visible,
    streams,
    children,
    lateErrors,
    symbols,
    sources,
  });
  const scope = createStaticScope(evaluator);
  const answers = {
    execute: runner.run,
    input: ({ stepId, text }) => input.answer(stepId, text),
    complete: ({ id, ...at }) => channel.send({ type: 'completions', id, ...complete(scope, at) }),
    inspect: ({ id, ...at }) => channel.send({ type: 'inspection', id, ...inspectAt({ scope, sources }, at) }),
    symbols: ({ id }) => channel.send({ type: 'symbols', id, symbols: symbols.describe() }),
  };
  output.onLate((stepId, stream, text) => {
    for (const part of parts(text)) channel.send({ type: 'background', stepId, stream, text: part });
  });
  input.onRequest((stepId, prompt) => channel.send({ type: 'input_request', stepId, prompt, password: false }));
  channel.send({ type: 'ready', version: `Node ${process.versions.node}` });
}

/** At most six bytes of JSON for each character, so that a part fits in a message. */
function* parts(text) {
  for (let from = 0; from < text.length; ) {
    const isInPair = /[\ud800-\udbff]/.test(text[from + partCharacters - 1] ?? '');
    const to = from + partCharacters - (isInPair ? 1 : 0);
    yield text.slice(from, to);
    from = to;
  }
}
