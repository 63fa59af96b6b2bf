export type OutputGate = ReturnType<typeof createOutputGate>;

/** Holds output back while a client asks for it. A page cannot stop reading a WebSocket, so it says when it has enough. */
export function createOutputGate(left: AbortSignal) {
  let opened = Promise.withResolvers<void>();
  opened.resolve();
  let isOpen = true;
  const open = () => {
    isOpen = true;
    opened.resolve();
  };
  // A client that has left waits for nothing.
  left.addEventListener('abort', open, { once: true });
  return {
    open,
    close(): void {
      if (!isOpen || left.aborted) return;
      isOpen = false;
      opened = Promise.withResolvers<void>();
    },
    /** Resolves while the gate is open. */
    pass: (): Promise<void> => opened.promise,
  };
}
