import type { Logger } from '../../observability/logger.ts';
import { isOurs } from './pod-labels.ts';
import { type RemoveDependencies, removePod } from './remove-pod.ts';
import { retrying } from './retrying.ts';

export type Leftovers = ReturnType<typeof createLeftovers>;

type Leftover = { name: string /** Absent: whether there is one is not known. */; uid?: string };

/** A caller that gave up waits only so long for the processes to end. */
const withinMs = 2000;

/** The pods of launches that failed: removed at once where the API server can be reached, else as soon as it can be again. */
export function createLeftovers(deps: RemoveDependencies & { deployment: string; log: Logger }) {
  const waiting = new Map<string, Leftover>();
  const removing = new Map<string, Promise<void>>();

  function remove(leftover: Leftover): Promise<void> {
    const { name } = leftover;
    const removal = removeNow(leftover).finally(() => removing.get(name) === removal && removing.delete(name));
    removing.set(name, removal);
    return removal;
  }

  async function removeNow(leftover: Leftover): Promise<void> {
    waiting.delete(leftover.name);
    try {
      await removeLeftover(deps, leftover);
    } catch (err) {
      if (deps.closing.aborted) return;
      waiting.set(leftover.name, leftover);
      deps.log.warn({ err, pod: leftover.name }, 'the pod of a failed launch is removed later');
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
      for (const leftover of [...waiting.values()]) void remove(leftover);
    },
  };
}

async function removeLeftover(
  deps: RemoveDependencies & { deployment: string },
  { name, uid }: Leftover,
): Promise<void> {
  const found = await retrying(deps, { call: () => deps.api.get(name), signal: deps.closing });
  const { metadata } = found ?? {};
  if (!metadata?.uid || (uid && uid !== metadata.uid) || !isOurs(deps.deployment, metadata.labels)) return;
  await removePod(deps, { name, uid: metadata.uid, withinMs });
}
