import { runningProcesses, variable } from '../../src/runtimes/process/running-processes.ts';
import { createInstallation } from '../support/installation.ts';
import { stateConformance } from '../support/state/state-conformance.ts';
import { pythonWithCloudpickle } from './python-with-cloudpickle.ts';

stateConformance('process', async () => {
  const installation = await createInstallation();
  const holdfast = await installation.start({ HOLDFAST_PYTHON: await pythonWithCloudpickle(installation.dataDir) });
  return { holdfast, kill, killSecondsMax: 2, dispose: async () => installation[Symbol.asyncDispose]() };
});

/** Kills the agent of a sandbox. Its kernels end with it. */
async function kill(name: string): Promise<void> {
  const ofSandbox = (await runningProcesses()).filter((process) => variable(process, 'HOLDFAST_SANDBOX_NAME') === name);
  const [agent] = ofSandbox.toSorted((a, b) => a.startTicks - b.startTicks || a.pid - b.pid);
  if (!agent) throw new Error(`no agent of ${name} runs`);
  process.kill(agent.pid, 'SIGKILL');
}
