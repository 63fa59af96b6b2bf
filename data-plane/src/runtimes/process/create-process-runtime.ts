import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { hostname } from 'node:os';
import { type CodeLanguage, newId, Problem } from '@holdfast/specs/public';
import { createKeyedLocks } from '../../timing/keyed-locks.ts';
import {
  type Capabilities,
  type Owner,
  type Runtime,
  type Sandbox,
  SandboxError,
  type SandboxSpec,
} from '../runtime.ts';
import { chooseSandboxesDir } from './choose-sandboxes-dir.ts';
import { destroySandbox } from './destroy-sandbox.ts';
import { launchSandbox } from './launch-sandbox.ts';
import { type Observed, observeSandboxes } from './observe-sandboxes.ts';
import { sandboxFolder, sandboxNames } from './sandbox-folder.ts';

export type ProcessRuntimeOptions = Owner & {
  dataDir: string;
  /** The environment of every session-agent, which the code in the sandbox can read. It may contain `PATH` and `HOME`. */
  agentEnv: Readonly<Record<string, string>>;
  /** The Node binary itself, not a shim. */
  node: string;
  /** Path of the session-agent's program. */
  agentMain: string;
  /** The languages for which this machine has interpreters. */
  languages: readonly CodeLanguage[];
};

const networks: Capabilities['networks'] = ['internet'];

/** Runs every sandbox as processes of this machine. Only one data-plane at a time may use a data directory: see `lockDataDir`. */
export function createProcessRuntime({
  dataDir,
  deployment,
  database,
  agentEnv,
  node,
  agentMain,
  languages,
}: ProcessRuntimeOptions): Runtime {
  const sandboxesDir = chooseSandboxesDir(dataDir);
  const owner = { place: placeOf(dataDir, deployment), database };
  const launching = new Map<string, Sandbox>();
  const children = new Map<string, ChildProcess>();
  const observed: Observed = { sandboxesDir, owner, launching, children };
  const nameLocks = createKeyedLocks();

  return {
    name: 'process',
    capabilities: {
      networks,
      profiles: [{ name: 'default', languages }],
      warmPools: [],
      sandboxesEndWithDataPlane: true,
    },

    async launch(spec, signal) {
      refuseOtherNetworks(spec);
      return nameLocks.run(spec.name, async () => {
        signal.throwIfAborted();
        const found = await inspect(spec.name);
        if (found?.phase === 'running') return found;
        if (found?.phase === 'ended') {
          throw new SandboxError('sandbox_start_failed', `The sandbox has ended: ${found.cause?.message}`);
        }
        // The data-plane that launched it ended before it knew the port, so the sandbox has never served a session.
        if (found) await destroySandbox(observed, found);
        else await refuseTaken(spec.name);
        return launchAnew(spec.name, signal);
      });
    },

    inspect,

    list: async () => observeSandboxes(observed, await sandboxNames(sandboxesDir)),

    destroy: ({ name, uid }) =>
      nameLocks.run(name, async () => {
        await destroySandbox(observed, { name, uid });
        children.delete(uid);
      }),

    explain: async ({ name }) => ({ reason: 'sandbox_lost', message: `sandbox ${name} is gone` }),

    // No hints: a step that fails, or the next resync, notices an end.
    onEnded: () => {},
  };

  async function inspect(name: string): Promise<Sandbox | null> {
    const sandboxes = await observeSandboxes(observed, [name]);
    return sandboxes.find((sandbox) => sandbox.name === name) ?? null;
  }

  /** A folder that `inspect` does not show belongs to a data-plane on another database. */
  async function refuseTaken(name: string): Promise<void> {
    const record = await sandboxFolder(sandboxesDir, name).read();
    if ((record?.database ?? database) === database) return;
    throw new SandboxError('sandbox_start_failed', `sandbox ${name} belongs to a data-plane on another database`);
  }

  async function launchAnew(name: string, signal: AbortSignal): Promise<Sandbox> {
    const uid = newId('uid');
    const starting: Sandbox = { name, uid, node: hostname(), endpoint: null, phase: 'starting', createdAt: new Date() };
    launching.set(name, starting);
    try {
      const { sandbox, child } = await launchSandbox(
        { sandboxesDir, owner, agentEnv, node, agentMain },
        { sandbox: starting, signal },
      );
      children.set(uid, child);
      return sandbox;
    } finally {
      launching.delete(name);
    }
  }
}

/** The same for every path that leads to the directory. */
function placeOf(dataDir: string, deployment: string): string {
  return createHash('sha256')
    .update(`${realpathSync(dataDir)}\n${deployment}`)
    .digest('hex')
    .slice(0, 32);
}

function refuseOtherNetworks({ network }: SandboxSpec): void {
  if (networks.includes(network)) return;
  const detail = `network "${network}": processes share the network of this machine`;
  throw new Problem('unsupported-by-runtime', { detail });
}
