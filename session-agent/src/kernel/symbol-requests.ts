import type { Cause, KernelMessage, KernelRequest, KernelSymbol } from '@holdfast/specs';

type Pending = { resolve: (symbols: KernelSymbol[]) => void; reject: (error: Error) => void };

/** Questions for a kernel's symbols that wait for their answers, matched by number. */
export function symbolRequests(send: (request: KernelRequest) => void) {
  const pending = new Map<number, Pending>();
  let lastId = 0;
  let death: Error | null = null;

  return {
    ask(): Promise<KernelSymbol[]> {
      if (death) return Promise.reject(death);
      const id = ++lastId;
      return new Promise((resolve, reject) => {
        pending.set(id, { resolve, reject });
        send({ type: 'symbols', id });
      });
    },
    /** An answer to no question is dropped. */
    receive({ id, symbols }: Extract<KernelMessage, { type: 'symbols' }>): void {
      pending.get(id)?.resolve(symbols);
      pending.delete(id);
    },
    fail(cause: Cause): void {
      death = new Error(`the kernel is dead: ${cause.message ?? cause.code}`);
      for (const { reject } of pending.values()) reject(death);
      pending.clear();
    },
  };
}
