import { startKubernetesRuntime } from '../support/kubernetes-runtime.ts';
import { marked } from '../support/process-runtime.ts';
import { runtimeConformance } from '../support/runtime-conformance.ts';

runtimeConformance('kubernetes', async () => {
  const { fake, runtime, another, ...started } = await startKubernetesRuntime({ scheduleMs: 100 });
  return {
    runtime,
    ofAnotherDatabase: () => another({ database: 'db-2' }),
    crash: async ({ name }) => fake.operator.crash(name),
    remains: async (uid) => {
      const pids = (await marked(uid)).map(({ pid }) => String(pid));
      const pods = fake.pods.all().filter(({ metadata }) => metadata.uid === uid);
      return [...pids, ...pods.map(({ metadata }) => metadata.name)];
    },
    dispose: started[Symbol.asyncDispose],
  };
});
