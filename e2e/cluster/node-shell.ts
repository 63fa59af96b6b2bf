import { kubectl } from './kubectl.ts';
import { testNamespace } from './namespaces.ts';
import { type Pod, replicaPods } from './pods.ts';

export type NodeShell = Awaited<ReturnType<typeof startNodeShell>>;

/**
 * A pod of the tests' own that sees all processes of the node on which the data-plane runs: from inside of a container
 * nobody can kill its first process.
 */
export async function startNodeShell() {
  const [replica] = await replicaPods();
  if (!replica) throw new Error('the data-plane has no pod that is ready');
  await kubectl(['apply', '-f', '-'], { input: JSON.stringify(shellPod(replica)) });
  await kubectl(['-n', testNamespace, 'wait', '--for=condition=Ready', 'pod/node-shell', '--timeout=30s']);
  const sh = (script: string, ...args: string[]) =>
    kubectl(['-n', testNamespace, 'exec', 'node-shell', '--', 'sh', '-c', script, 'sh', ...args]);
  return {
    /**
     * Sends SIGKILL to those processes of the pod whose command line has the words. @throws Error where there is none
     */
    killIn: async (pod: Pod, words: string): Promise<void> => {
      // The driver for systemd writes uids into names of cgroups with underscores.
      const uid = pod.metadata.uid.replaceAll('-', '[-_]');
      if ((await sh(killScript, uid, words)) === '') throw new Error(`${pod.metadata.name} has no process '${words}'`);
    },
    /** How many processes were started with exactly this in their environment, as `NAME=value`. */
    countStartedWith: async (variable: string) => Number(await sh(countScript, variable)),
    remove: async () => {
      await kubectl(['-n', testNamespace, 'delete', 'pod', 'node-shell', '--grace-period=1']);
    },
  };
}

const killScript = `
for process in /proc/[0-9]*; do
  grep -q "$1" "$process/cgroup" 2>/dev/null || continue
  tr '\\0' ' ' 2>/dev/null <"$process/cmdline" | grep -qF -- "$2" || continue
  kill -9 "\${process#/proc/}" && echo "$process"
done
true`;

const countScript = `
found=0
for process in /proc/[0-9]*; do
  tr '\\0' '\\n' 2>/dev/null <"$process/environ" | grep -qxF -- "$1" && found=$((found + 1))
done
echo $found`;

/** On the replica's node and of its image, which is there. */
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
        // As the first process a shell gets only the signals that it asks for.
        command: ['sh', '-c', 'trap exit TERM; sleep infinity & wait'],
        securityContext: { privileged: true, runAsUser: 0 },
      },
    ],
  },
});
