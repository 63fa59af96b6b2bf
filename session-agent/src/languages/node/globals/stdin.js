import { syncBuiltinESMExports } from 'node:module';
import { followReaders } from './follow-readers.js';
import { createStepInput } from './step-input.js';

// Taken before any step can replace it.
const { setImmediate } = globalThis;
const promptCharactersMax = 65_536;
/** The scope of code outside of all steps, which takes no input. */
const nowhere = { takesInput: false, hasEnded: false, isAbandoned: false };

/**
 * Makes `process.stdin` a stream of its own for each step. Reading it asks for a line of input. If the step takes no input, the
 * first read fails.
 */
export function provideStdin(scopes) {
  const inputs = new WeakMap();
  const byStream = new WeakMap();
  const refusals = new WeakSet();
  let request = () => {};
  let asking = null;
  let whenAnswered = () => {};
  let checks = 0;

  // The next line may be given before the check for the one before it, which then says nothing: the code has not read on yet.
  const checkLater = () => {
    const check = ++checks;
    afterReading(() => check === checks && whenAnswered());
  };
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
    /** Renews the export `stdin` of `node:process`, which is the stream of an earlier step otherwise. */
    open(scope) {
      if (scope.takesInput) syncBuiltinESMExports();
    },
    /** Gives the step the line that it asked for; null is the end of input. */
    answer(stepId, text) {
      if (asking?.stepId !== stepId) return;
      const scope = asking;
      asking = null;
      scopes.run(scope, () => inputOf(scope).give(text));
      checkLater();
    },
    /** Calls `done` once the step has no open request for input, at once if it has not touched its input. Only the last call counts. */
    onceAnswered(scope, done) {
      if (!scope.takesInput || !inputs.has(scope)) return done();
      whenAnswered = () => {
        if (asking === scope) return;
        whenAnswered = () => {};
        done();
      };
      checkLater();
    },
    /** Ends the input of this step. */
    close(scope) {
      if (asking === scope) asking = null;
      // The end of input would let an abandoned step go on.
      if (!scope.isAbandoned) inputs.get(scope)?.end();
    },
    isRefusal: (error) => typeof error === 'object' && error !== null && refusals.has(error),
  };
}

/** A stream begins to read, or gives a line to the code, in a later tick, and asks for the next line in the tick after that. */
function afterReading(proceed) {
  setImmediate(() => setImmediate(proceed));
}

/** Returns the prompt: the text that the program has written since the last line end. */
function unfinishedLine(scope) {
  const written = String(scope.lastWritten ?? '');
  scope.lastWritten = '';
  return written.slice(written.lastIndexOf('\n') + 1).slice(-promptCharactersMax);
}
