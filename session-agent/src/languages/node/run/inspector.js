import { Session } from 'node:inspector';
import process from 'node:process';
import { ownMethods } from '../realm/own-methods.js';

/**
 * Connects to the process's own inspector: `post(method, params, answered)`. Node's `Session` makes and reads its messages with objects
 * of the user's realm, so that a `toJSON` or an `error` of `Object.prototype` would become part of each. So messages go to the
 * connection below it.
 */
export function connectInspector() {
  const Connection = connectionClass();
  if (Connection === null) return sessionOfNode();
  const waiting = new Map();
  let lastId = 0;
  let onEvent = () => {};
  const receive = (text) => {
    const { id, method, params, error = null, result } = JSON.parse(text);
    if (id === undefined) return onEvent(method, params);
    const answered = waiting.get(id);
    waiting.delete(id);
    answered?.(error, result);
  };
  const connection = ownMethods(new Connection(receive));
  return {
    post(method, params, answered) {
      const id = ++lastId;
      if (answered) waiting.set(id, answered);
      connection.dispatch(JSON.stringify({ id, method, params }));
    },
    /** `listener(method, params)` gets the inspector's events from now on. */
    listen(listener) {
      onEvent = listener;
    },
  };
}

/** Node has no public name for it. */
function connectionClass() {
  try {
    return process.binding('inspector').Connection;
  } catch {
    return null;
  }
}

function sessionOfNode() {
  const session = ownMethods(new Session());
  session.connect();
  return {
    post: (...args) => session.post(...args),
    listen(listener) {
      session.on('inspectorNotification', ({ method, params }) => listener(method, params));
    },
  };
}
