import type { Step } from '@holdfast/specs/public';
import type { ProductSession } from '../stage/start-product.ts';
import type { Peer, Shown } from './peer.ts';

export const product = 'Holdfast';

/** Steps of Holdfast in one session. */
export function productPeer({ runStep }: Pick<ProductSession, 'runStep'>): Peer {
  return {
    name: product,
    canRun: () => true,
    run: async ({ code, language }) => shownBy(await runStep(language === 'python' ? { code } : { code, language })),
  };
}

function shownBy({ stdout, results, error }: Step): Shown {
  const result = results.find(({ isMain }) => isMain)?.data['text/plain'];
  return { output: stdout, result: typeof result === 'string' ? result : null, error: error?.name ?? null };
}
