import { lockCluster } from './cluster/lock-cluster.ts';
import { uninstallHoldfast } from './cluster/uninstall-holdfast.ts';

/** Cleans the cluster before the first test and after the last one, and locks it against other runs in between. */
export default async function ownCluster(): Promise<() => Promise<void>> {
  const { release } = await lockCluster();
  return async () => {
    try {
      if (process.env.HOLDFAST_E2E_KEEP !== 'true') await uninstallHoldfast();
    } finally {
      await release();
    }
  };
}
