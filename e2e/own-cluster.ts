import { holdCluster } from './cluster/hold-cluster.ts';
import { uninstallHoldfast } from './cluster/uninstall-holdfast.ts';

/** Before the first test and after the last one nothing of the tests is on the cluster, and no other run in between. */
export default async function ownCluster(): Promise<() => Promise<void>> {
  const { release } = await holdCluster();
  return async () => {
    try {
      if (process.env.HOLDFAST_E2E_KEEP !== 'true') await uninstallHoldfast();
    } finally {
      await release();
    }
  };
}
