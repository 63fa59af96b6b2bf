import { Session } from 'node:inspector';
import { holdPromise } from './hold-promise.js';
import { ownList } from './own-list.js';
import { users } from './users-realm.js';
import { keepMethods } from './visible/keep-methods.js';

const group = 'step';
const settled = Promise.resolve();

/** Evaluates source in the global scope, through the process's own inspector and with the rules of a REPL. */
export function createEvaluator() {
  const session = keepMethods(new Session());
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

  const readLexical = (name, found) => {
    session.post('Runtime.evaluate', { expression: name, objectGroup: 'symbols', silent: true }, (error, answer) => {
      if (!error && !answer.exceptionDetails) found(realValue(answer.result));
    });
  };

  const evaluateHeld = (options, done) => {
    const letGo = holdPromise();
    session.post('Runtime.evaluate', { ...options, replMode: true, silent: true }, (error, answer) => {
      letGo();
      done(error, answer);
    });
  };

  // Runs as a microtask: what the code itself throws rejects a promise, and that is seen in a later microtask only. So an
  // error that is here before `post` returns is one of source that was not begun, and the source may be tried otherwise.
  const evaluateNow = (source, filename, done) => {
    const expression = `${source}\n//# sourceURL=${filename}`;
    let isPosting = true;
    evaluateHeld({ expression, awaitPromise: true, objectGroup: group }, (error, answer) => {
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
      settled.then(() => evaluateNow(source, filename, done));
    },

    /** The values of top-level `let`, `const` and `class` names; one that is not initialized is left out. */
    lexicalValues() {
      const values = new Map();
      session.post('Runtime.globalLexicalScopeNames', {}, (error, answer) => {
        for (const name of error ? [] : ownList(answer.names)) readLexical(name, (value) => values.set(name, value));
      });
      session.post('Runtime.releaseObjectGroup', { objectGroup: 'symbols' });
      return values;
    },

    /** Gives `undefined` to top-level names that a failed step has left uninitialized, since no assignment reaches those. */
    initialize(names) {
      session.post('Runtime.globalLexicalScopeNames', {}, (error, answer) => {
        for (const name of error ? [] : ownList(answer.names)) {
          if (!names.has(name)) continue;
          let isInitialized = false;
          readLexical(name, () => {
            isInitialized = true;
          });
          if (isInitialized) continue;
          for (const kind of ['let', 'const']) evaluateHeld({ expression: `${kind} ${name} = undefined` }, () => {});
        }
      });
      session.post('Runtime.releaseObjectGroup', { objectGroup: 'symbols' });
    },

    /** Gives a request to terminate that is still on its way something to stop. */
    absorb() {
      session.post('Runtime.evaluate', { expression: 'for (;;) ;', timeout: 500, silent: true });
    },
  };
}

function receiver(session, receive) {
  const name = '$holdfast$';
  Object.defineProperty(users, name, { value: receive, configurable: true });
  let objectId;
  session.post('Runtime.evaluate', { expression: name }, (_error, { result }) => {
    objectId = result.objectId;
  });
  delete users[name];
  return objectId;
}

function primitive({ type, value, unserializableValue }) {
  if (unserializableValue === undefined) return value;
  return type === 'bigint' ? BigInt(unserializableValue.slice(0, -1)) : Number(unserializableValue);
}
