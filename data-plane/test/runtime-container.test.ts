import { afterAll, beforeAll, describe } from 'vitest';
import { startContainerRuntime } from './container-runtime.ts';
import { importAgentImage } from './import-agent-image.ts';
import { runtimeConformance } from './runtime-conformance.ts';
import { type Podman, podmanHindrance, startPodman } from './start-podman.ts';

const hindrance = podmanHindrance();

describe.skipIf(hindrance !== null)(`on Podman${hindrance ? ` (${hindrance})` : ''}`, () => {
  let engine: Podman;
  beforeAll(async () => {
    engine = await startPodman();
    await importAgentImage(engine);
  }, 60_000);
  afterAll(() => engine[Symbol.asyncDispose]());

  runtimeConformance('container', async () => {
    const started = await startContainerRuntime(engine);
    return {
      runtime: started.runtime,
      crash: async (sandbox) => {
        engine.podman('kill', '--signal', 'KILL', started.containerOf(sandbox));
      },
      remains: async (uid) => started.remains(uid),
      dispose: started[Symbol.asyncDispose],
    };
  });
});
