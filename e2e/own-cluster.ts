import { uninstallHoldfast } from './cluster/uninstall-holdfast.ts';

/** Before the first test and after the last one nothing of the tests is on the cluster. */
export async function setup(): Promise<void> {
  await uninstallHoldfast();
}

export async function teardown(): Promise<void> {
  if (process.env.HOLDFAST_E2E_KEEP !== 'true') await uninstallHoldfast();
}
