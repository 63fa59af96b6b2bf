import type { Runtime, Sandbox } from '../../../../src/runtimes/runtime.ts';

export const stubOutput = 'stub';

/** The uid of the stub agent at a loopback address. */
export const stubUid = (address: string) => `stub-${address}`;

/** A runtime whose sandboxes are loopback addresses, at all of which one program of stub agents answers on this port. */
export function createStubRuntime(port: number): Runtime {
  const sandboxes = new Map<string, Sandbox>();
  let launched = 0;
  return {
    name: 'process',
    capabilities: {
      networks: ['internet'],
      profiles: [{ name: 'default', languages: ['python', 'node'] }],
      warmPools: [],
      sandboxesEndWithDataPlane: true,
    },
    async launch({ name }) {
      const found = sandboxes.get(name);
      if (found) return found;
      const address = loopbackAddress(++launched);
      const at = {
        node: 'here',
        endpoint: `http://${address}:${port}`,
        phase: 'running',
        createdAt: new Date(),
      } as const;
      const sandbox: Sandbox = { name, uid: stubUid(address), ...at };
      sandboxes.set(name, sandbox);
      return sandbox;
    },
    inspect: async (name) => sandboxes.get(name) ?? null,
    list: async () => [...sandboxes.values()],
    destroy: async ({ name, uid }) => {
      if (sandboxes.get(name)?.uid === uid) sandboxes.delete(name);
    },
    explain: async ({ name }) => ({ reason: 'sandbox_lost', message: `sandbox ${name} is gone` }),
    onEnded: () => {},
  };
}

/** 127.1.0.1, 127.1.0.2, … */
function loopbackAddress(number: number): string {
  return [127, 1 + (number >> 16), (number >> 8) & 255, number & 255].join('.');
}
