import type { Pod } from '../server/objects.ts';

/** The port of a session-agent whose pod names none. */
const agentPort = '8700';

/** The environment of a pod's first container: the image's variables, those of the manifest, and finally the loopback address. */
export function containerEnvironment(
  pod: Pod,
  { address, folder }: { address: string; folder: string },
): Record<string, string> {
  const fields: Record<string, string> = {
    'metadata.name': pod.metadata.name,
    'metadata.namespace': pod.metadata.namespace,
    'metadata.uid': pod.metadata.uid,
    'spec.nodeName': pod.spec.nodeName ?? '',
    'status.podIP': address,
  };
  const set = (pod.spec.containers[0]?.env ?? []).map(({ name, value = '', valueFrom }): [string, string] => {
    const path = valueFrom?.fieldRef?.fieldPath;
    // As in Kubernetes; no manifest of ours refers to another variable.
    if (path === undefined) return [name, value.replaceAll('$$', () => '$')];
    const field = fields[path];
    if (field === undefined) throw new Error(`the fake has no field ${path}`);
    return [name, field];
  });
  return {
    PATH: process.env.PATH ?? '',
    LANG: 'C.UTF-8',
    HOLDFAST_AGENT_PORT: agentPort,
    ...Object.fromEntries(set),
    HOLDFAST_AGENT_HOST: address,
    HOLDFAST_WORKSPACE: `${folder}/workspace`,
    HOME: `${folder}/workspace`,
    TMPDIR: `${folder}/tmp`,
  };
}
