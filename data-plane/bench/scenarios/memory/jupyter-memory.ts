import { processMemory } from '../../measure/process-memory.ts';
import { jupyterStarter } from '../../peers/jupyter/jupyter-peers.ts';
import type { Stage } from '../../stage/stage.ts';
import type { MemoryPeer } from './memory.ts';

/** Jupyter Server and one kernel; nothing, and a note, if it is not installed. */
export function jupyterMemory(stage: Pick<Stage, 'note' | 'dataDir'>): MemoryPeer[] {
  const start = jupyterStarter(stage);
  if (!start) return [];
  return [
    {
      name: 'Jupyter',
      async start() {
        // A thousand steps take a second with it and most of a minute without; the memory is the same.
        const jupyter = await start({ nodelay: true });
        return {
          run: jupyter.kernel.run,
          measure() {
            const { own, resident } = processMemory([jupyter.server.pid, jupyter.kernel.pid]);
            return { private: own, resident };
          },
          close: jupyter.close,
        };
      },
    },
  ];
}
