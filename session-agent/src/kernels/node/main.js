import { openChannel } from './channel.js';
import { createEvaluator } from './evaluate.js';
import { listenForInterrupts } from './interrupt.js';
import { reportLateErrors } from './late-errors.js';
import { provideModuleGlobals } from './module-globals.js';
import { createStepRunner } from './run-step.js';
import { scopeTimers } from './scoped-timers.js';
import { createStepScopes } from './step-scopes.js';
import { holdStreams } from './streams.js';
import { createSymbols } from './symbols.js';

// The Node kernel: announces itself, then answers one request after the other until the agent is gone.
const scopes = createStepScopes();
const streams = holdStreams(scopes);
const evaluator = createEvaluator();
reportLateErrors();
provideModuleGlobals();
scopeTimers(scopes);
const symbols = createSymbols(evaluator);
const interrupts = listenForInterrupts({ onInterrupt: (number) => runner.abandon(number), absorb: evaluator.absorb });
const channel = openChannel((request) => {
  if (request.type === 'execute') runner.run(request);
  else channel.send({ type: 'symbols', id: request.id, symbols: symbols.describe() });
});
const runner = createStepRunner({ channel, evaluator, interrupts, scopes, streams, symbols });
channel.send({ type: 'ready', version: `Node ${process.versions.node}` });
