import type { Owner, Sandbox } from '../../runtime.ts';
import { listPods } from '../api/list-pods.ts';
import type { PodApi } from '../api/pod-api.ts';
import { retryCall } from '../api/retry-call.ts';
import { isOurs } from '../pod/pod-labels.ts';
import { isGone } from '../pod/pod-state.ts';
import { type ExplainDependencies, explainPod } from './explain-pod.ts';
import { sandboxFromPod } from './sandbox-from-pod.ts';

type ObserveDependencies = ExplainDependencies & {
  api: Pick<PodApi, 'get' | 'events' | 'listPage' | 'isDown'>;
  owner: Owner;
};

/** The sandbox with that name, or null if no pod of ours has it or nothing of the pod runs any more. @throws ApiError */
export async function inspectPod(deps: ObserveDependencies, name: string): Promise<Sandbox | null> {
  const pod = await retryCall(deps, { call: () => deps.api.get(name) });
  if (!pod || isGone(pod) || !isOurs(deps.owner, pod.metadata?.labels)) return null;
  const sandbox = sandboxFromPod(pod);
  return sandbox.phase === 'ended' ? { ...sandbox, cause: await explainPod(deps, sandbox) } : sandbox;
}

/** All our sandboxes, as they were at one moment. @throws ApiError if the list would not be complete */
export async function listSandboxes(deps: ObserveDependencies): Promise<Sandbox[]> {
  const { pods } = await listPods(deps);
  return pods.filter((pod) => !isGone(pod)).map(sandboxFromPod);
}
