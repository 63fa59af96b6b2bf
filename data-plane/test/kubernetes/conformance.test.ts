import { startKubernetesRuntime } from '../support/kubernetes-runtime.ts';
import { marked } from '../support/process-runtime.ts';
import { runtimeConformance } from '../support/runtime-conformance.ts';

runtimeConformance('kubernetes', async () => {
  const { fake, runtime, ...started } = await startKubernetesRuntime({ scheduleMs: 100 });
  return {
    runtime,
    crash: async ({ name }) => fake.operator.crash(name),
    remains: async (uid) => {
      const pids = (await marked(uid)).map(({ pid }) => String(pid));
      const pods = fake.pods.all().filter(({ metadata }) => metadata.uid === uid);
      return [...pids, ...pods.map(({ metadata }) => metadata.name)];
    },
    dispose: started[Symbol.asyncDispose],
  };
});
