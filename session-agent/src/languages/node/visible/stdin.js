import { syncBuiltinESMExports } from 'node:module';
import { followReaders } from './followed-readers.js';
import { createStepInput } from './step-input.js';

const promptCharactersMax = 65_536;
/** What code outside of all steps reads from. */
const nowhere = { takesInput: false, hasEnded: false, isAbandoned: false };

/**
 * Makes `process.stdin` a stream of its own for each step, whose reads ask for a line of input. Where the step takes none,
 * the first read fails.
 */
export function provideStdin(scopes) {
  const inputs = new WeakMap();
  const byStream = new WeakMap();
  const refusals = new WeakSet();
  let request = () => {};
  let asking = null;

  const ask = (scope) => {
    asking = scope;
    request(scope.stepId, unfinishedLine(scope));
  };
  const inputOf = (scope) => {
    const known = inputs.get(scope);
    if (known) return known;
    const input = createStepInput({ scope, ask, refusals });
    inputs.set(scope, input);
    byStream.set(input.stream, input);
    return input;
  };
  const get = () => inputOf(scopes.current() ?? scopes.latest() ?? nowhere).stream;
  Object.defineProperty(process, 'stdin', { configurable: true, enumerable: true, get });
  followReaders((stream) => byStream.get(stream));

  return {
    onRequest(listener) {
      request = listener;
    },
    /** `import { stdin } from 'node:process'` would give the stream of an earlier step otherwise. */
    open(scope) {
      if (scope.takesInput) syncBuiltinESMExports();
    },
    /** Hands over what was asked for; null is the end of input. */
    answer(stepId, text) {
      if (asking?.stepId !== stepId) return;
      const scope = asking;
      asking = null;
      scopes.run(scope, () => inputOf(scope).give(text));
    },
    /** Nothing more comes for this step. */
    close(scope) {
      if (asking === scope) asking = null;
      // An abandoned step would go on behind the end of its input.
      if (!scope.isAbandoned) inputs.get(scope)?.end();
    },
    isRefusal: (error) => typeof error === 'object' && error !== null && refusals.has(error),
  };
}

/** What a program writes before it reads is its prompt. */
function unfinishedLine(scope) {
  const written = String(scope.lastWritten ?? '');
  scope.lastWritten = '';
  return written.slice(written.lastIndexOf('\n') + 1).slice(-promptCharactersMax);
}
