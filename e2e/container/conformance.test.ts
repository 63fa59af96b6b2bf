import { afterAll, beforeAll } from 'vitest';
import { runtimeConformance } from '../../data-plane/test/support/runtime-conformance.ts';
import { importAgentImage } from './import-agent-image.ts';
import { startContainerRuntime } from './start-container-runtime.ts';
import { type Podman, startPodman } from './start-podman.ts';

let engine: Podman;
beforeAll(async () => {
  engine = await startPodman();
  await importAgentImage(engine);
});
afterAll(() => engine[Symbol.asyncDispose]());

runtimeConformance('container', async () => {
  const started = await startContainerRuntime(engine);
  const { deployment } = started;
  const others = new AsyncDisposableStack();
  return {
    runtime: started.runtime,
    ofAnotherDatabase: async () =>
      others.use(await startContainerRuntime(engine, { deployment, database: 'db-2' })).runtime,
    crash: async (sandbox) => {
      engine.podman('kill', '--signal', 'KILL', started.containerOf(sandbox));
    },
    remains: async (uid) => started.remains(uid),
    async dispose() {
      await others.disposeAsync();
      await started[Symbol.asyncDispose]();
    },
  };
});
