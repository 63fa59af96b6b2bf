import { getOwnPropertyDescriptor, users } from '../realm/users-realm.js';
import { holdPromise } from './hold-promise.js';
import { connectInspector } from './inspector.js';

const group = 'step';
const settled = Promise.resolve();

/** Evaluates source in the global scope, through the process's own inspector and with the rules of a REPL. */
export function createEvaluator() {
  const session = connectInspector();
  let received;
  const receiverId = receiver(session, (value) => {
    received = value;
  });

  /** Returns the value that the inspector's description stands for. */
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

  const lexicalNames = () => {
    let names = [];
    session.post('Runtime.globalLexicalScopeNames', {}, (error, answer) => {
      if (!error) names = answer.names;
    });
    return names;
  };

  const readLexical = (name, found) => {
    session.post('Runtime.evaluate', { expression: name, objectGroup: 'symbols', silent: true }, (error, answer) => {
      if (!error && !answer.exceptionDetails) found(realValue(answer.result));
    });
  };

  const postEvaluation = (options, done) => {
    const release = holdPromise();
    session.post('Runtime.evaluate', { ...options, replMode: true, silent: true }, (error, answer) => {
      release();
      done(error, answer);
    });
  };

  // Runs as a microtask: an error that the code throws rejects a promise, which shows in a later microtask only. So an error that
  // arrives before `post` returns is about source that did not begin to run, and another reading of it may be tried.
  const evaluateNow = ({ code, filename }, done) => {
    const expression = `${code}\n//# sourceURL=${filename}`;
    let isPosting = true;
    postEvaluation({ expression, awaitPromise: true, objectGroup: group }, (error, answer) => {
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
     * Calls back with one of: `{value}`; `{thrown}`; `{rejected, line, column}` if the source did not begin to run (it does not
     * compile, or declares a name that must not be declared again); `{terminated: true}`.
     */
    evaluate(step, done) {
      settled.then(() => evaluateNow(step, done));
    },

    /** Returns the names of top-level `let`, `const` and `class`. */
    lexicalNames: () => new Set(lexicalNames()),

    /** Whether code at top level sees the name. */
    isBound: (name) => getOwnPropertyDescriptor(users, name) !== undefined || lexicalNames().includes(name),

    /** Returns the values of top-level `let`, `const` and `class` names, without those that are not initialized. */
    lexicalValues() {
      const values = new Map();
      for (const name of lexicalNames()) readLexical(name, (value) => values.set(name, value));
      session.post('Runtime.releaseObjectGroup', { objectGroup: 'symbols' });
      return values;
    },

    /**
     * Sets the names in a failed step's code that it has left uninitialized to `undefined`, since an assignment to them would fail.
     * Returns these names.
     */
    initialize(code) {
      const uninitialized = new Set(lexicalNames().filter((name) => code.includes(name)));
      for (const name of uninitialized) readLexical(name, () => uninitialized.delete(name));
      session.post('Runtime.releaseObjectGroup', { objectGroup: 'symbols' });
      for (const name of uninitialized) {
        for (const kind of ['let', 'const']) postEvaluation({ expression: `${kind} ${name} = undefined` }, () => {});
      }
      return uninitialized;
    },

    /** For looks that run none of the user's code (`../state/inspected.js`). */
    inspector: { session, realValue },

    /** Runs a loop that a termination still on its way can stop, so that it does not hit other code. */
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
