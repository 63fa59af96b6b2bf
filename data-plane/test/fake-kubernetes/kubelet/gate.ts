/** A condition that pods wait for. A test can close and open it. */
export type Gate = ReturnType<typeof createGate>;

export function createGate() {
  let opened = Promise.withResolvers<void>();
  let closed = false;
  return {
    get closed(): boolean {
      return closed;
    },
    close(): void {
      if (!closed) opened = Promise.withResolvers();
      closed = true;
    },
    open(): void {
      closed = false;
      opened.resolve();
    },
    /** Resolves once the gate is open. */
    passed: (): Promise<void> => (closed ? opened.promise : Promise.resolve()),
  };
}
