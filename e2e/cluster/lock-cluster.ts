import { hostname } from 'node:os';
import { kubectl } from './kubectl.ts';
import { ownMark, testNamespace } from './namespaces.ts';
import { markOf, namespacesAreGone, uninstallHoldfast } from './uninstall-holdfast.ts';

/**
 * Locks the cluster against other runs until `release`, because all runs install into the same namespaces. The lock is the tests' own
 * namespace, which names its holder. Removes the leftovers of a run that was killed.
 * @throws Error if another run holds the lock, or if a Holdfast is installed that is not the tests' own
 */
export async function lockCluster(): Promise<{ release(): Promise<void> }> {
  const holder = `${hostname()} ${process.pid}`;
  if (!(await tryLock(holder))) {
    await refuseLiving();
    await deleteTestNamespace();
    if (!(await tryLock(holder))) throw new Error('another run has just started on this cluster');
  }
  await uninstallHoldfast().catch(async (error) => {
    await deleteTestNamespace();
    throw error;
  });
  return { release: deleteTestNamespace };
}

async function tryLock(holder: string): Promise<boolean> {
  const metadata = { name: testNamespace, annotations: { [ownMark]: holder } };
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata });
  return await kubectl(['create', '-f', '-'], { input }).then(
    () => true,
    (error: Error) => {
      if (error.message.includes('AlreadyExists')) return false;
      throw error;
    },
  );
}

async function refuseLiving(): Promise<void> {
  const holder = await markOf(testNamespace);
  const [host, pid] = holder?.split(' ') ?? [];
  if (host === hostname() && !isAlive(Number(pid))) return;
  throw new Error(
    `another run uses this cluster (host and process: ${holder}); if it has ended, run kubectl delete namespace ${testNamespace}`,
  );
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function deleteTestNamespace(): Promise<void> {
  await kubectl(['delete', 'namespace', testNamespace, '--ignore-not-found', '--wait=false']);
  await namespacesAreGone([testNamespace]);
}
