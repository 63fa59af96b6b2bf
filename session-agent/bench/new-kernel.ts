import { execFileSync } from 'node:child_process';
import { newId } from '@holdfast/specs/public';
import { createSharedSweeps } from '../src/kernel-process/end/shared-sweeps.ts';
import type { Kernel } from '../src/kernel-process/kernel.ts';
import type { KernelConfig } from '../src/kernel-process/kernel-config.ts';
import { findPython } from '../src/kernel-process/start/find-python.ts';
import { createStartKernel } from '../src/kernel-process/start/start-kernel.ts';
import { createZygote } from '../src/kernel-process/zygote/zygote.ts';
import { until } from '../test/support/until.ts';

const rounds = 30;
const code = 'import pandas as pd\npd.DataFrame({"a": [1, 2]}).a.sum()';

// Measures the time from a new Python kernel to its first result, interleaved with a plain interpreter; see README.md.
const path = process.env.PATH ?? '/usr/bin:/bin';
const python = await findPython(path, process.env.HOLDFAST_PYTHON);
const places = { path, home: '/', tmp: '/tmp', agentTmp: '/tmp' };
const config: KernelConfig = { python, node: process.execPath, ...places, sweep: createSharedSweeps() };
const zygote = createZygote(config, { preload: ['numpy', 'pandas'], startAfterMs: 0 });
await until('the zygote', zygote.isWarm, 60_000);

/** Each returns the kernel that is killed after the measured time. */
const ways: Record<string, () => Promise<Kernel | null>> = {
  'a plain interpreter that imports pandas': async () => {
    execFileSync(python, ['-c', code]);
    return null;
  },
  'a kernel with its own interpreter': () => firstResult(config),
  'a kernel from the zygote': () => firstResult({ ...config, zygote }),
};
const times = new Map(Object.keys(ways).map((name): [string, number[]] => [name, []]));
for (let round = 0; round < rounds; round++) {
  for (const [name, way] of Object.entries(ways)) {
    await until('the reserve', zygote.isWarm);
    const startedAt = performance.now();
    const kernel = await way();
    times.get(name)?.push(performance.now() - startedAt);
    await kernel?.kill();
  }
}
zygote.end();
const [plain] = [...times.values()].map(median);
for (const [name, taken] of times) {
  const ratio = ((plain ?? 0) / median(taken)).toFixed(1);
  const [low, high] = [Math.min(...taken), Math.max(...taken)].map((ms) => ms.toFixed(1));
  console.log(`${name}: ${median(taken).toFixed(1)} ms (${low} to ${high}), ${ratio} times as fast as the plain one`);
}

/** Starts a kernel and waits for the value of its first step. */
async function firstResult(from: KernelConfig): Promise<Kernel> {
  const kernel = createStartKernel(from)({ language: 'python', cwd: '/', env: {}, onBackground: () => {} });
  await kernel.ready;
  const shown = Promise.withResolvers<void>();
  const nothing = () => {};
  const sink = {
    output: nothing,
    result: () => shown.resolve(),
    error: shown.reject,
    comm: nothing,
    inputRequest: nothing,
  };
  void kernel.execute({ stepId: newId('stp'), code }, sink);
  await shown.promise;
  return kernel;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
