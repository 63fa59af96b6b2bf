import { eventually } from '../../data-plane/test/support/eventually.ts';
import { kubectl } from './kubectl.ts';
import { holdfastNamespace, ownMark, sandboxNamespace } from './namespaces.ts';

const namespaces = [holdfastNamespace, sandboxNamespace];

/** Removes an installation of the tests and waits until nothing of it is left. @throws Error if the tests did not make it */
export async function uninstallHoldfast(): Promise<void> {
  await refuseForeign();
  await kubectl(['delete', 'namespace', ...namespaces, '--ignore-not-found', '--wait=false']);
  for (const namespace of namespaces) {
    // The deletion of a namespace would wait for the pods' whole grace period.
    await kubectl(['-n', namespace, 'delete', 'pods', '--all', '--grace-period=1', '--wait=false']);
  }
  await namespacesAreGone(namespaces);
}

export async function namespacesAreGone(names: readonly string[]): Promise<void> {
  await eventually(async () => {
    const left = await kubectl(['get', 'namespace', ...names, '--ignore-not-found', '-o', 'name']);
    if (left !== '') throw new Error(`namespaces are left: ${left}`);
  }, 120_000);
}

/** Refuses to remove an installation that the tests did not make, because it may hold valuable data. */
async function refuseForeign(): Promise<void> {
  if ((await markOf(holdfastNamespace)) !== null) return;
  for (const namespace of namespaces) {
    const phase = await kubectl([
      'get',
      'namespace',
      namespace,
      '--ignore-not-found',
      '-o',
      'jsonpath={.status.phase}',
    ]);
    // A namespace that is being deleted may be replaced.
    if (phase !== 'Active') continue;
    throw new Error(
      `the namespace ${namespace} exists and was not made by these tests, which would replace it; ` +
        `use another cluster, or delete it first: kubectl delete namespace ${namespaces.join(' ')}`,
    );
  }
}

/** The tests' mark on a namespace, or null if the namespace does not exist or has no mark. */
export async function markOf(namespace: string): Promise<string | null> {
  const path = `jsonpath={.metadata.annotations.${ownMark.replaceAll('.', '\\.')}}`;
  return (await kubectl(['get', 'namespace', namespace, '--ignore-not-found', '-o', path])) || null;
}
