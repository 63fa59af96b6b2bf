import type { Logger } from '../../observability/logger.ts';
import type { Database } from '../../registry/connect.ts';
import { removeWarmSandbox } from '../../registry/warm-sandboxes/remove-warm-sandbox.ts';
import { type Runtime, SandboxError } from '../../runtimes/runtime.ts';
import { createBackOff } from '../../timing/back-off.ts';
import { createHints } from '../hints.ts';

type RemovalDependencies = {
  db: Database;
  runtime: Pick<Runtime, 'inspect' | 'destroy'>;
  log: Logger;
  /** Milliseconds, of any clock that only goes forward. */
  nowMs?: () => number;
};
type Failing = { reason: string; backOff: ReturnType<typeof createBackOff> };

/** Removes warm sandboxes that will serve no session. A removal that fails is retried less and less often, down to once a minute. */
export function createWarmRemovals({ db, runtime, log, nowMs = () => performance.now() }: RemovalDependencies) {
  const failing = new Map<string, Failing>();
  const removals = createHints({ check: tryToRemove, onError: failed });

  async function tryToRemove(name: string): Promise<void> {
    if (failing.get(name)?.backOff.waits(nowMs())) return;
    await remove(name);
    failing.delete(name);
  }

  /** Removes by name, which is used only once. The row goes last: as long as there is one, the removal is retried. */
  async function remove(name: string): Promise<void> {
    const sandbox = await runtime.inspect(name);
    if (sandbox) await runtime.destroy(sandbox);
    await removeWarmSandbox(db, { name });
  }

  function failed(err: unknown, name: string): void {
    const reason = err instanceof SandboxError ? err.reason : String(err);
    const known = failing.get(name);
    if (known?.reason !== reason) log.error({ sandbox: name, reason, err }, 'a warm sandbox could not be removed');
    const backOff = known?.backOff ?? createBackOff({ firstMs: 2000, maxMs: 60_000 });
    backOff.failed(nowMs());
    failing.set(name, { reason, backOff });
  }

  return {
    /** `names` are all that are to be removed now. A name that is no longer among them is gone, or is left to the resync. */
    remove(names: readonly string[]): void {
      const wanted = new Set(names);
      for (const name of failing.keys()) if (!wanted.has(name)) failing.delete(name);
      for (const name of wanted) removals.hint(name);
    },
    settled: removals.settled,
  };
}
