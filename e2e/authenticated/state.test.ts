import { stateConformance } from '../../data-plane/test/support/state/state-conformance.ts';
import { installHoldfast } from '../cluster/install-holdfast.ts';
import { sandboxNamespace } from '../cluster/namespaces.ts';
import { startNodeShell } from '../cluster/node-shell.ts';
import { pod } from '../cluster/pods.ts';

stateConformance('kubernetes', async () => {
  const holdfast = await installHoldfast();
  const node = await startNodeShell();
  return {
    holdfast,
    kill: async (name) => node.killIn(await pod(sandboxNamespace, name), 'agent.mjs'),
    killSecondsMax: 6,
    async dispose() {
      await node.remove();
      await holdfast.close();
    },
  };
});
