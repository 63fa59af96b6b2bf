import { readProcess } from '../../../../session-agent/src/kernel-process/end/list-processes.ts';
import { processesOf } from '../../../../session-agent/test/support/processes-of.ts';
import { startAgent } from '../../../../session-agent/test/support/start-agent.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { processMemory } from '../../measure/process-memory.ts';
import { product } from '../../peers/product.ts';
import { bundledAgent, imageAgentEnv } from '../../stage/bundled-agent.ts';
import type { Stage } from '../../stage/stage.ts';
import type { MemoryPeer } from './memory.ts';

/**
 * A session-agent as images start it, and its kernel. The zygote, from which kernels are forked, and the next kernel, which it holds ready,
 * are counted by a metric of their own.
 */
export async function agentMemory(stage: Pick<Stage, 'dataDir' | 'python'>): Promise<MemoryPeer> {
  const main = await bundledAgent(stage);
  const env = {
    ...imageAgentEnv,
    HOLDFAST_PYTHON: stage.python,
    HOLDFAST_AGENT_PYTHON_PRELOAD: 'none',
    HOLDFAST_AGENT_LEASE_SECONDS: '3600',
  };
  return {
    name: product,
    async start() {
      const agent = await startAgent(env, main);
      // Waits so that the zygote forks the kernel, as in a sandbox that has waited for its session.
      await eventually(() => {
        if (processesOf(agent.uid).length < 3) throw new Error('the zygote has no kernel ready');
      }, 30_000);
      const kernel = Number((await agent.run({ code: 'import os; os.getpid()' })).value);
      const spare = () => processesOf(agent.uid).filter((pid) => pid !== agent.pid && pid !== kernel);
      if (!spare().includes(readProcess(kernel)?.parent ?? 0))
        throw new Error('the kernel is not a child of the zygote');
      let acks: string[] = [];
      return {
        run: async (code) => {
          acks = [(await agent.run({ code, acks })).stepId];
        },
        measure() {
          const { own, resident } = processMemory([agent.pid, kernel]);
          return {
            private: own,
            resident,
            'private, the zygote and the next kernel too': own + processMemory(spare()).own,
          };
        },
        close: () => agent[Symbol.asyncDispose](),
      };
    },
  };
}
