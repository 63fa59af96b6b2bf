/** Holdfast as `npm start` starts it, except that its sandboxes are stub agents, which listen on STUB_AGENTS_PORT. */
import { parseConfig } from '../../../../src/config/parse-config.ts';
import { startDataPlane } from '../../../../src/start/start-data-plane.ts';
import { createStubRuntime } from './stub-runtime.ts';

const started = await startDataPlane({
  config: parseConfig(process.env),
  progress: (message) => console.log(message),
  ...{ agentMain: '', path: '', home: '/', jupyterPath: '', registries: {} },
  startRuntime: async () => ({
    runtime: createStubRuntime(Number(process.env.STUB_AGENTS_PORT)),
    close: async () => {},
  }),
});
await new Promise((resolve) => process.once('SIGTERM', resolve));
await started.stop(AbortSignal.abort());
process.exit();
