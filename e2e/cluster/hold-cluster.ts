import { hostname } from 'node:os';
import { kubectl } from './kubectl.ts';
import { ownMark, testNamespace } from './namespaces.ts';
import { markOf, namespacesAreGone, uninstallHoldfast } from './uninstall-holdfast.ts';

/**
 * Keeps other runs away from the cluster until `release`, since all install into the same namespaces: the tests' own namespace is the
 * lock and names its holder. Removes what a run that was killed has left.
 * @throws Error where another run is at work, or Holdfast is installed that is not the tests'
 */
export async function holdCluster(): Promise<{ release(): Promise<void> }> {
  const holder = `${hostname()} ${process.pid}`;
  if (!(await tryHold(holder))) {
    await refuseLiving();
    await deleteTestNamespace();
    if (!(await tryHold(holder))) throw new Error('another run has just begun on this cluster');
  }
  await uninstallHoldfast().catch(async (error) => {
    await deleteTestNamespace();
    throw error;
  });
  return { release: deleteTestNamespace };
}

async function tryHold(holder: string): Promise<boolean> {
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
    `another run is at work on this cluster (host and process: ${holder}); where it is over: kubectl delete namespace ${testNamespace}`,
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
