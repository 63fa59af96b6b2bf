import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';

/** The requests of a client that have no answer yet. */
export function createOpenRequests() {
  const open = new Map<RequestId, Deferred>();
  const idOf = (message: JSONRPCMessage) => ('id' in message ? message.id : undefined);
  return {
    add(message: JSONRPCMessage): void {
      const id = idOf(message);
      if ('method' in message && id !== undefined) open.set(id, deferred());
    },

    answered(message: JSONRPCMessage): void {
      const id = idOf(message);
      if ('method' in message || id === undefined) return;
      open.get(id)?.resolve();
      open.delete(id);
    },

    /** Resolves when this request has an answer. */
    async ended(request: JSONRPCMessage): Promise<void> {
      await open.get(idOf(request) ?? '')?.promise;
    },

    async allAnswered(): Promise<void> {
      await Promise.all([...open.values()].map(({ promise }) => promise));
    },
  };
}

type Deferred = ReturnType<typeof deferred>;

/** Node 20 has no `Promise.withResolvers`. */
export function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
