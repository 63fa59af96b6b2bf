import { setTimeout as wait } from 'node:timers/promises';
import { shuffled } from '../../measure/random.ts';
import { amount, roundsOf } from '../../stage/plan.ts';
import type { Scenario } from '../scenario.ts';
import { agentMemory } from './agent-memory.ts';
import { jupyterMemory } from './jupyter-memory.ts';

/** An interpreter and what stands before it, both started for one round. */
export type MemoryPeer = {
  name: string;
  start(): Promise<StartedMemoryPeer>;
};

export type StartedMemoryPeer = {
  run(code: string): Promise<unknown>;
  /** MiB by metric. */
  measure(): Record<string, number>;
  close(): Promise<unknown>;
};

/** Everyday steps, the last of which fails. */
const codes = (step: number) => [`x = ${step}`, 'x * 2', 'print("line", x)', 'def f(): return [x] * 10\nf()', '[][x]'];

/** The memory of a session's processes while they wait. Every round starts them anew. */
export const memory: Scenario = {
  name: 'memory',
  async run(stage, plan) {
    const steps = amount(plan, { smoke: 50, full: 1000 });
    // Long enough for garbage collectors to finish after the last step, and for an agent to give memory back.
    const idleMs = amount(plan, { smoke: 200, full: 4000 });
    const peers = [await agentMemory(stage), ...jupyterMemory(stage)];
    const rounds = roundsOf(plan, { smoke: 1, full: 5 });
    for (let round = 0; round < rounds; round++)
      for (const peer of shuffled(peers, stage.random)) await measureRound(peer, round);

    async function measureRound({ name, start }: MemoryPeer, round: number): Promise<void> {
      const started = await start();
      const record = async (when: string) => {
        await wait(idleMs);
        for (const [metric, value] of Object.entries(started.measure()))
          stage.record({ scenario: 'memory', case: when, peer: name, round, metric, value, unit: 'MiB' });
      };
      try {
        await record('idle');
        for (let step = 1; step <= steps; step++) await started.run(codes(step)[step % 5] as string);
        await record(`after ${steps.toLocaleString('en')} steps`);
        await started.run('for _ in range(10): print("x" * 999_999)');
        await record('after 10 MB of output');
      } finally {
        await started.close();
      }
    }
  },
};
