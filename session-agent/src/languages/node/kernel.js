import process from 'node:process';
import { openChannel } from './agent/channel.js';
import { listenForInterrupts } from './agent/interrupts.js';
import { complete } from './editor/complete.js';
import { completeness } from './editor/completeness.js';
import { inspectAt } from './editor/inspect-at.js';
import { createStaticScope } from './editor/static-scope.js';
import { createSymbols } from './editor/symbols.js';
import { loadLibraries } from './read/load-libraries.js';
import { createBoundNames } from './run/bound-names.js';
import { createEvaluator } from './run/evaluator.js';
import { reportLateErrors } from './run/late-errors.js';
import { watchChildren } from './run/living-children.js';
import { createStepRunner } from './run/step-runner.js';
import { createStepSources } from './run/step-sources.js';
import { holdStreams } from './run/streams.js';
import { createImported } from './state/imported.js';
import { createState } from './state/state.js';

const { kill } = process;
const partCharacters = 1024 * 1024;

const die = () => kill(process.pid, 'SIGKILL');

/** Announces the kernel, then answers one request after the other until the agent is gone. */
export function startKernel(globals) {
  const { output, input, exit } = globals;
  const evaluator = createEvaluator();
  const streams = holdStreams();
  const importGetters = new WeakSet();
  const imported = createImported();
  globals.imports.onImport((binding) => {
    if (!binding.isTaken) importGetters.add(binding.get);
    imported.note(binding);
  });
  const boundNames = createBoundNames({ evaluator, importGetters });
  const symbols = createSymbols({ evaluator, importGetters });
  const answer = (request) => answers[request.type]?.(request);
  const channel = openChannel((request) => (isLoaded ? answer(request) : loading.then(() => answer(request))));
  const interrupts = listenForInterrupts({
    onInterrupt: (number) => runner.abandon(number),
    absorb: evaluator.absorb,
  });
  const children = watchChildren({ ownWorker: interrupts.worker });
  const sources = createStepSources();
  globals.stackTraces.onFrame(sources.frameAsWritten);
  const lateErrors = reportLateErrors({ isFatalToStep: (error) => input.isRefusal(error) && runner.failBy(error) });
  lateErrors.listen();
  const runner = createStepRunner({
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
  });
  const state = createState({ evaluator, boundNames, imported, globals, sources, streams });
  const scope = createStaticScope({ evaluator, importGetters });
  const answers = {
    execute: runner.run,
    input: ({ stepId, text }) => input.answer(stepId, text),
    complete: ({ id, ...at }) => channel.send({ type: 'completions', id, ...complete(scope, at) }),
    inspect: ({ id, ...at }) => channel.send({ type: 'inspection', id, ...inspectAt({ scope, sources }, at) }),
    parse: ({ id, code }) => channel.send({ type: 'parsed', id, ...completeness(code) }),
    snapshot: ({ id, ...request }) => {
      state.snapshot(request);
      channel.send({ type: 'snapshot', id });
    },
    // A kernel whose recovery failed has half of its names.
    recover: ({ id, folder }) =>
      state.recover(folder).then((report) => channel.send({ type: 'recovered', id, ...report }), die),
    symbols: ({ id }) => channel.send({ type: 'symbols', id, symbols: symbols.describe() }),
  };
  output.onLate((stepId, stream, text) => {
    for (const part of parts(text)) channel.send({ type: 'background', stepId, stream, text: part });
  });
  output.onWrite(streams.takeTurn);
  input.onRequest((stepId, prompt) => {
    streams.placeMessage();
    channel.send({ type: 'input_request', stepId, prompt, password: false });
  });
  exit.onExit(runner.exit);
  channel.send({ type: 'ready', version: `Node ${process.versions.node}` });
  // After this message, since the first request seldom comes at once.
  let isLoaded = false;
  const loading = loadLibraries().then(() => {
    isLoaded = true;
  });
}

/** Cuts text into parts that fit into a message, at six bytes of JSON for each character at most. */
function* parts(text) {
  for (let from = 0; from < text.length; ) {
    const isInPair = /[\ud800-\udbff]/.test(text[from + partCharacters - 1] ?? '');
    const to = from + partCharacters - (isInPair ? 1 : 0);
    yield text.slice(from, to);
    from = to;
  }
}
