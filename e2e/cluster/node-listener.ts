import { kubectl } from './kubectl.ts';
import { testNamespace } from './namespaces.ts';

const name = 'node-listener';

/**
 * Gives the node that runs a pod further addresses for as long as the returned function is not called, and listens on all of them: so a
 * test can reach an address as if a machine on the internet had it. The addresses are on the node's loopback interface.
 */
export async function listenOnNode(
  nodeName: string | undefined,
  { addresses, port }: { addresses: readonly string[]; port: number },
): Promise<() => Promise<void>> {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: testNamespace },
    spec: {
      nodeName,
      hostNetwork: true,
      automountServiceAccountToken: false,
      containers: [
        {
          name: 'listener',
          image: 'localhost/holdfast/runtime-python:dev',
          imagePullPolicy: 'IfNotPresent',
          command: ['python3', '-c', listen, String(port), ...addresses],
          readinessProbe: { exec: { command: ['test', '-e', '/tmp/listens'] }, periodSeconds: 1 },
          securityContext: { privileged: true, runAsUser: 0 },
        },
      ],
    },
  };
  await kubectl(['apply', '-f', '-'], { input: JSON.stringify(pod) });
  await kubectl(['-n', testNamespace, 'wait', '--for=condition=Ready', `pod/${name}`, '--timeout=60s']);
  return async () => {
    // It removes the addresses when it is asked to end.
    await kubectl(['-n', testNamespace, 'delete', 'pod', name, '--grace-period=10']);
  };
}

/** ioctls of netdevice(7): an alias of `lo` for each address, which loses its address when it is taken down. */
const listen = `
import fcntl, signal, socket, struct, sys
port, *addresses = sys.argv[1:]
control = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
alias = lambda i: b"lo:hf%d" % i
def change(call, i, value): fcntl.ioctl(control, call, struct.pack("16s16s", alias(i), value))
def inet(address): return struct.pack("HH4s8s", socket.AF_INET, 0, socket.inet_aton(address), b"")
def end(*_):
    for i in range(len(addresses)): change(0x8914, i, struct.pack("H14s", 0, b""))
    sys.exit(0)
signal.signal(signal.SIGTERM, end)
for i, address in enumerate(addresses):
    change(0x8916, i, inet(address))
    change(0x891c, i, inet("255.255.255.255"))
listeners = [socket.create_server((address, int(port))) for address in addresses]
open("/tmp/listens", "w").close()
signal.pause()`;
