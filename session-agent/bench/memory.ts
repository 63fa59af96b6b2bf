import { setTimeout as wait } from 'node:timers/promises';
import { readProcess } from '../src/kernel-process/end/list-processes.ts';
import { processesOf } from '../test/support/processes-of.ts';
import { type AgentUnderTest, startAgent } from '../test/support/start-agent.ts';
import { until } from '../test/support/until.ts';
import { processMemory } from './process-memory.ts';

/** Long enough for garbage collectors to finish after the last step. */
const idleMs = 3000;

/** As in runtime-images/run. */
const asInImages = { MALLOC_TOP_PAD_: '0', MALLOC_MMAP_THRESHOLD_: '32768', MALLOC_TRIM_THRESHOLD_: '65536' };

// The memory of an idle agent and its Python processes after 1, 1,000 and 10,000 steps; see README.md.
const [main] = process.argv.slice(2);
const python = process.env.HOLDFAST_PYTHON;
for (const preload of ['none', 'asyncio,numpy,pandas']) {
  console.log(`\npreloaded: ${preload}; private memory, and with a share of the shared memory, in MiB`);
  await measure({ HOLDFAST_AGENT_PYTHON_PRELOAD: preload, ...(python && { HOLDFAST_PYTHON: python }) });
}

async function measure(env: Record<string, string>): Promise<void> {
  await using agent = await startAgent({ ...env, ...asInImages, HOLDFAST_AGENT_LEASE_SECONDS: '3600' }, main);
  // Waits so that the zygote forks the kernel, as in a sandbox that has waited for its session.
  await until('the zygote and its reserve', () => processesOf(agent.uid).length === 3, 30_000);
  const kernel = Number((await agent.run({ code: 'import os; os.getpid()' })).value);
  let acks: string[] = [];
  for (let steps = 1; steps <= 10_000; steps++) {
    acks = [await step(agent, steps, acks)];
    if (steps === 1 || steps === 1000 || steps === 10_000) {
      await wait(idleMs);
      console.log(`${String(steps).padStart(6)} steps: ${report(agent, kernel)}`);
    }
  }
}

/** Runs one of a few everyday steps and returns its id. */
async function step(agent: AgentUnderTest, number: number, acks: string[]): Promise<string> {
  const codes = [`x = ${number}`, 'x * 2', 'print("line", x)', 'def f(): return [x] * 10\nf()', '[][x]'];
  const { stepId } = await agent.run({ code: codes[number % codes.length] as string, acks });
  return stepId;
}

function report(agent: AgentUnderTest, kernel: number): string {
  const zygote = readProcess(kernel)?.parent;
  const roles = processesOf(agent.uid).map((pid): [string, number] => {
    const name = { [agent.pid]: 'agent', [kernel]: 'kernel', [zygote ?? 0]: 'zygote' }[pid] ?? 'reserve';
    return [name, pid];
  });
  const memory = roles.map(([name, pid]) => ({ name, ...processMemory(pid) }));
  const main = memory.filter(({ name }) => name === 'agent' || name === 'kernel');
  const sum = (of: 'own' | 'share', among = memory) => among.reduce((total, one) => total + one[of], 0);
  const parts = memory.map(({ name, own, share }) => `${name} ${mebibytes(own)} (${mebibytes(share)})`);
  return `${parts.join(', ')}; agent and kernel ${mebibytes(sum('own', main))}, all (${mebibytes(sum('share'))})`;
}

function mebibytes(kibibytes: number): string {
  return (kibibytes / 1024).toFixed(1);
}
