import type { Logger } from '../../observability/logger.ts';
import type { SandboxKey } from '../runtime.ts';
import { type RemoveDependencies, removeContainer } from './remove-container.ts';

export type Leftovers = ReturnType<typeof createLeftovers>;

/** A caller that gave up waits only so long. */
const withinMs = 5000;

/** The containers of launches that failed: removed at once where the engine can be reached, else as soon as it can be again. */
export function createLeftovers(deps: RemoveDependencies & { log: Pick<Logger, 'warn'> }) {
  const waiting = new Map<string, SandboxKey>();
  const removing = new Map<string, Promise<void>>();

  function remove(key: SandboxKey): Promise<void> {
    const removal = removeNow(key).finally(() => removing.get(key.name) === removal && removing.delete(key.name));
    removing.set(key.name, removal);
    return removal;
  }

  async function removeNow(key: SandboxKey): Promise<void> {
    waiting.delete(key.name);
    try {
      await removeContainer(deps, { ...key, withinMs });
    } catch (err) {
      waiting.set(key.name, key);
      deps.log.warn({ err, sandbox: key.name }, 'the container of a failed launch is removed later');
    }
  }

  return {
    /** Never throws. */
    remove,

    /** The name is to be launched again: what is left of it, if anything, is no longer to be removed. */
    async reprieve(name: string): Promise<void> {
      await removing.get(name);
      waiting.delete(name);
    },

    /** Tries again what could not be removed. */
    retry(): void {
      for (const key of [...waiting.values()]) void remove(key);
    },
  };
}
