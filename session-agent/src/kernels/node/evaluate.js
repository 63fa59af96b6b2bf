import { Session } from 'node:inspector';
import { promiseHooks } from 'node:v8';

const group = 'step';

/** Evaluates source in the global scope, through the process's own inspector and with the rules of a REPL. */
export function createEvaluator() {
  const session = new Session();
  session.connect();
  let received;
  const receiverId = receiver(session, (value) => {
    received = value;
  });

  /** The value that stands behind what the inspector tells of it. */
  const realValue = (remote) => {
    if (remote.objectId === undefined) return primitive(remote);
    const functionDeclaration = 'function (value) { this(value); }';
    session.post('Runtime.callFunctionOn', {
      functionDeclaration,
      objectId: receiverId,
      arguments: [{ objectId: remote.objectId }],
      silent: true,
    });
    const value = received;
    received = undefined;
    return value;
  };

  // Runs as a microtask: what the code itself throws rejects a promise, and that is seen in a later microtask only. So an
  // error that is here before `post` returns is one of source that was not begun, and the source may be tried otherwise.
  const evaluateNow = (source, filename, done) => {
    const expression = `${source}\n//# sourceURL=${filename}`;
    const options = { expression, replMode: true, awaitPromise: true, objectGroup: group, silent: true };
    const letGo = /\bawait\b/.test(source) ? holdPromise() : () => {};
    let isPosting = true;
    session.post('Runtime.evaluate', options, (error, answer) => {
      letGo();
      if (error) return done({ terminated: true });
      const { exceptionDetails, result } = answer;
      const value = realValue(exceptionDetails?.exception ?? result);
      session.post('Runtime.releaseObjectGroup', { objectGroup: group });
      if (!exceptionDetails) return done({ value });
      if (!isPosting) return done({ thrown: value });
      done({ rejected: value, line: exceptionDetails.lineNumber, column: exceptionDetails.columnNumber });
    });
    isPosting = false;
  };

  return {
    /**
     * Calls back with one of: `{value}`; `{thrown}`; `{rejected, line, column}` where the source was not even begun
     * (it does not compile, or declares a name that it may not); `{terminated: true}`.
     */
    evaluate(source, filename, done) {
      queueMicrotask(() => evaluateNow(source, filename, done));
    },

    /** The values of top-level `let`, `const` and `class` names; one that is not initialized is left out. */
    lexicalValues() {
      const values = new Map();
      session.post('Runtime.globalLexicalScopeNames', {}, (error, answer) => {
        for (const name of error ? [] : answer.names) {
          session.post(
            'Runtime.evaluate',
            { expression: name, objectGroup: 'symbols', silent: true },
            (failed, found) => {
              if (!failed && !found.exceptionDetails) values.set(name, realValue(found.result));
            },
          );
        }
      });
      session.post('Runtime.releaseObjectGroup', { objectGroup: 'symbols' });
      return values;
    },

    /** Gives a request to terminate that is still on its way something to stop. */
    absorb() {
      session.post('Runtime.evaluate', { expression: 'for (;;) ;', timeout: 500, silent: true });
    },
  };
}

const held = new Set();

/**
 * Keeps the next promise that is made, which is the evaluation's own, until it is let go. The inspector answers from
 * within the garbage collector where that promise is collected unsettled, and to call us from there aborts the process.
 */
function holdPromise() {
  let own;
  const stop = promiseHooks.onInit((promise) => {
    if (own !== undefined) return;
    own = promise;
    held.add(own);
    stop();
  });
  return () => {
    stop();
    held.delete(own);
  };
}

function receiver(session, receive) {
  const name = '$holdfast$';
  Object.defineProperty(globalThis, name, { value: receive, configurable: true });
  let objectId;
  session.post('Runtime.evaluate', { expression: name }, (_error, { result }) => {
    objectId = result.objectId;
  });
  delete globalThis[name];
  return objectId;
}

function primitive({ type, value, unserializableValue }) {
  if (unserializableValue === undefined) return value;
  return type === 'bigint' ? BigInt(unserializableValue.slice(0, -1)) : Number(unserializableValue);
}
