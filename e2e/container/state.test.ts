import { containerName } from '../../data-plane/src/runtimes/container/engine/labels.ts';
import { stateConformance } from '../../data-plane/test/support/state/state-conformance.ts';
import { startOnEngine } from './start-on-engine.ts';

stateConformance('container', async () => {
  const on = await startOnEngine();
  return {
    holdfast: on.holdfast,
    kill: async (name) => void on.engine.podman('kill', '--signal', 'KILL', containerName('holdfast', name)),
    killSecondsMax: 4,
    dispose: () => on[Symbol.asyncDispose](),
  };
});
