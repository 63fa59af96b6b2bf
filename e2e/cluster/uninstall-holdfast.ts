import { eventually } from './eventually.ts';
import { kubectl } from './kubectl.ts';
import { holdfastNamespace, ownMark, sandboxNamespace } from './namespaces.ts';

const namespaces = [holdfastNamespace, sandboxNamespace];

/**
 * Removes an installation of the tests and waits until nothing of it is left. @throws Error where it is somebody else's
 */
export async function uninstallHoldfast(): Promise<void> {
  await refuseForeign();
  await kubectl(['delete', 'namespace', ...namespaces, '--ignore-not-found', '--wait=false']);
  for (const namespace of namespaces) {
    // Namespaces end their pods with the pods' whole grace period.
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

/** What an installation that the tests did not make holds may be dear to somebody. */
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
    // One that is being deleted already is nobody's any more.
    if (phase !== 'Active') continue;
    throw new Error(
      `the namespace ${namespace} is there already and was not made by these tests, which would replace it; ` +
        `use another cluster, or delete it first: kubectl delete namespace ${namespaces.join(' ')}`,
    );
  }
}

/** What the tests have noted on a namespace of theirs; null where there is none, or it is not theirs. */
export async function markOf(namespace: string): Promise<string | null> {
  const path = `jsonpath={.metadata.annotations.${ownMark.replaceAll('.', '\\.')}}`;
  return (await kubectl(['get', 'namespace', namespace, '--ignore-not-found', '-o', path])) || null;
}
