/**
 * Holdfast as `npm start` serves it, but with a warm pool of processes, as other runtimes have by their profiles. BENCH_WARM_SANDBOXES is its
 * size, and BENCH_AGENT_MAIN the program of its agents. It ends its sandboxes at SIGTERM.
 */
import { parseConfig } from '../../../src/config/parse-config.ts';
import type { Runtime } from '../../../src/runtimes/runtime.ts';
import { compileEarly } from '../../../src/start/compile-early.ts';
import { startDataPlane } from '../../../src/start/start-data-plane.ts';
import { startRuntime } from '../../../src/start/start-runtime.ts';

const { PATH: path = '/usr/bin:/bin', HOME: home = '/', ...env } = process.env;
const { BENCH_WARM_SANDBOXES: size, BENCH_AGENT_MAIN: agentMain = '', ...rest } = env;
const warmPools = [{ profile: 'default', network: 'internet', size: Number(size), template: 'bench' }] as const;
compileEarly();
let processes: Runtime | null = null;

const started = await startDataPlane({
  config: parseConfig(rest),
  progress: (message) => console.log(message),
  agentMain,
  path,
  home,
  jupyterPath: '',
  registries: {},
  async startRuntime(input) {
    const { runtime, close } = await startRuntime(input);
    processes = runtime;
    return { runtime: { ...runtime, capabilities: { ...runtime.capabilities, warmPools } }, close };
  },
});

process.on('SIGTERM', async () => {
  await started.stop(AbortSignal.abort());
  const runtime = processes as Runtime;
  await Promise.all((await runtime.list()).map((sandbox) => runtime.destroy(sandbox)));
  process.exit();
});
