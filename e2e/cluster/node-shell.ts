import { kubectl } from './kubectl.ts';
import { testNamespace } from './namespaces.ts';
import { type Pod, replicaPods } from './pods.ts';

export type NodeShell = Awaited<ReturnType<typeof startNodeShell>>;

/**
 * Starts a pod that sees all processes of the data-plane's node. It can kill the first process of a container, which is impossible from
 * inside that container.
 */
export async function startNodeShell() {
  const [replica] = await replicaPods();
  if (!replica) throw new Error('the data-plane has no pod that is ready');
  await kubectl(['apply', '-f', '-'], { input: JSON.stringify(shellPod(replica)) });
  await kubectl(['-n', testNamespace, 'wait', '--for=condition=Ready', 'pod/node-shell', '--timeout=30s']);
  const sh = (script: string, ...args: string[]) =>
    kubectl(['-n', testNamespace, 'exec', 'node-shell', '--', 'sh', '-c', script, 'sh', ...args]);
  return {
    /** Sends SIGKILL to the processes of the pod whose command line contains the words. @throws Error if there are none */
    killIn: async (pod: Pod, words: string): Promise<void> => {
      // The systemd cgroup driver writes uids with underscores into cgroup names.
      const uid = pod.metadata.uid.replaceAll('-', '[-_]');
      if ((await sh(killScript, uid, words)) === '') throw new Error(`${pod.metadata.name} has no process '${words}'`);
    },
    /** The number of processes whose environment at their start contained exactly `NAME=value`. */
    countStartedWith: async (variable: string) => Number(await sh(countScript, variable)),
    remove: async () => {
      await kubectl(['-n', testNamespace, 'delete', 'pod', 'node-shell', '--grace-period=1']);
    },
  };
}

/** Looks for the pod's processes with one program, because a busy node has hundreds of others. */
const killScript = `
for cgroup in $(grep -l "$1" /proc/[0-9]*/cgroup 2>/dev/null); do
  pid=$(echo "$cgroup" | tr -dc 0-9)
  tr '\\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep -qF -- "$2" || continue
  kill -9 "$pid" && echo "$pid"
done
true`;

const countScript = `
found=0
for process in /proc/[0-9]*; do
  tr '\\0' '\\n' 2>/dev/null <"$process/environ" | grep -qxF -- "$1" && found=$((found + 1))
done
echo $found`;

/** A pod on the replica's node, with the replica's image, which that node already has. */
const shellPod = ({ spec }: Pod) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'node-shell', namespace: testNamespace },
  spec: {
    nodeName: spec.nodeName,
    hostPID: true,
    automountServiceAccountToken: false,
    containers: [
      {
        name: 'shell',
        image: spec.containers[0]?.image,
        imagePullPolicy: 'IfNotPresent',
        // As the first process, a shell only receives signals that it traps.
        command: ['sh', '-c', 'trap exit TERM; sleep infinity & wait'],
        securityContext: { privileged: true, runAsUser: 0 },
      },
    ],
  },
});
