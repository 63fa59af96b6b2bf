import { newId } from '@holdfast/specs/public';
import type { Runtime, Sandbox, SandboxKey, SandboxSpec, WarmPool } from '../../src/runtimes/runtime.ts';
import { type Answering, type ScriptedAgent, startScriptedAgent } from './scripted-agent.ts';

type Scripted = { sandbox: Sandbox; spec: SandboxSpec; agent: ScriptedAgent };

export type ScriptedCluster = ReturnType<typeof createScriptedCluster>;

/** Sandboxes as several replicas see them, with scripted agents. `runtime` is one replica's view of it, with pools of its own. */
export function createScriptedCluster() {
  const all = new Map<string, Scripted>();
  const listeners: ((sandbox: SandboxKey) => void)[] = [];
  const cluster = {
    /** Every one that was ever launched. */
    launched: [] as Scripted[],
    /** Called before each launch; what it throws is what the launch throws. */
    beforeLaunch: async (_spec: SandboxSpec, _signal: AbortSignal): Promise<void> => {},
    /** Called before each destruction, which waits for it. */
    beforeDestroy: async (_sandbox: SandboxKey): Promise<void> => {},
    /** How the agents of all sandboxes answer what they know nothing of. */
    answering: (() => false) as Answering,
    living: () => [...all.values()].filter(({ sandbox }) => sandbox.phase !== 'ended'),
    named: (name: string): Scripted => {
      const found = all.get(name);
      if (!found) throw new Error(`there is no sandbox ${name}`);
      return found;
    },
    /** Ends it as a crash would; `hinted`: and says so. */
    async crash(name: string, { hinted = false } = {}): Promise<void> {
      const { sandbox, agent } = cluster.named(name);
      await agent.crash();
      Object.assign(sandbox, { phase: 'ended', endpoint: null });
      if (hinted) for (const listener of listeners) listener(sandbox);
    },
    /** It is gone without a trace. */
    async vanish(name: string): Promise<void> {
      await cluster.crash(name);
      all.delete(name);
    },
    runtime,
    async close(): Promise<void> {
      await Promise.all(cluster.living().map(({ sandbox }) => cluster.crash(sandbox.name)));
    },
  };
  return cluster;

  function runtime(warmPools: WarmPool[]): Runtime {
    return {
      name: 'kubernetes',
      capabilities: {
        networks: ['internet', 'none'],
        profiles: [{ name: 'default', languages: ['python', 'node'] }],
        warmPools,
        sandboxesEndWithDataPlane: false,
      },
      async launch(spec, signal) {
        await cluster.beforeLaunch(spec, signal);
        signal.throwIfAborted();
        const found = all.get(spec.name);
        if (found) return { ...found.sandbox };
        const uid = newId('uid');
        const agent = await startScriptedAgent(uid, (...exchange) => cluster.answering(...exchange));
        const at = { node: 'here', endpoint: agent.endpoint, phase: 'running', createdAt: new Date() } as const;
        const scripted: Scripted = { sandbox: { name: spec.name, uid, ...at }, spec, agent };
        all.set(spec.name, scripted);
        cluster.launched.push(scripted);
        return { ...scripted.sandbox };
      },
      inspect: async (name) => {
        const found = all.get(name);
        return found ? { ...found.sandbox } : null;
      },
      list: async () => [...all.values()].map(({ sandbox }) => ({ ...sandbox })),
      async destroy({ name, uid }) {
        await cluster.beforeDestroy({ name, uid });
        const found = all.get(name);
        if (found?.sandbox.uid !== uid) return;
        if (found.sandbox.phase !== 'ended') await found.agent.crash();
        all.delete(name);
      },
      explain: async ({ name }) => ({ reason: 'sandbox_lost', message: `sandbox ${name} is gone` }),
      onEnded: (listener) => listeners.push(listener),
    };
  }
}
