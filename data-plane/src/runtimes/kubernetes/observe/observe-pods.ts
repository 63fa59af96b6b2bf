import type { Sandbox } from '../../runtime.ts';
import { listPods } from '../api/list-pods.ts';
import type { PodApi } from '../api/pod-api.ts';
import { retryCall } from '../api/retry-call.ts';
import { isOurs } from '../pod/pod-labels.ts';
import { isGone } from '../pod/pod-state.ts';
import { type ExplainDependencies, explainPod } from './explain-pod.ts';
import { sandboxFromPod } from './sandbox-from-pod.ts';

type ObserveDependencies = ExplainDependencies & {
  api: Pick<PodApi, 'get' | 'events' | 'listPage' | 'isDown'>;
  deployment: string;
};

/** The sandbox of that name, null where no pod of ours has it or what is left of it runs nothing. @throws ApiError */
export async function inspectPod(deps: ObserveDependencies, name: string): Promise<Sandbox | null> {
  const pod = await retryCall(deps, { call: () => deps.api.get(name) });
  if (!pod || isGone(pod) || !isOurs(deps.deployment, pod.metadata?.labels)) return null;
  const sandbox = sandboxFromPod(pod);
  return sandbox.phase === 'ended' ? { ...sandbox, cause: await explainPod(deps, sandbox) } : sandbox;
}

/** All of this deployment, as they were at one moment. @throws ApiError rather than leave one out */
export async function listSandboxes(deps: ObserveDependencies): Promise<Sandbox[]> {
  const { pods } = await listPods(deps);
  return pods.filter((pod) => !isGone(pod)).map(sandboxFromPod);
}
