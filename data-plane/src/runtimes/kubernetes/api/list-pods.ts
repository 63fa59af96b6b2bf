import type { V1Pod } from '@kubernetes/client-node';
import { ApiError } from './api-error.ts';
import type { PodApi, PodPage } from './pod-api.ts';
import { retryCall } from './retry-call.ts';

const startsMax = 3;

/**
 * All pods of the deployment as they were at one resource version. If a continuation expires in between, the list starts again, because the
 * pages would not show one moment.
 * @throws ApiError if the list would not be complete
 */
export async function listPods(
  { api }: { api: Pick<PodApi, 'listPage' | 'isDown'> },
  { signal }: { signal?: AbortSignal } = {},
): Promise<{ pods: V1Pod[]; resourceVersion: string }> {
  const pageFrom = (continueFrom: string | null): Promise<PodPage> =>
    retryCall({ api }, { call: () => api.listPage({ continueFrom, signal }), signal });
  for (let start = 1; ; start += 1) {
    try {
      const pods: V1Pod[] = [];
      for (let continueFrom: string | null = null; ; ) {
        const page = await pageFrom(continueFrom);
        pods.push(...page.pods);
        if (!page.next) return { pods, resourceVersion: page.resourceVersion };
        continueFrom = page.next;
      }
    } catch (error) {
      if (!(error instanceof ApiError) || error.kind !== 'expired' || start === startsMax) throw error;
    }
  }
}
