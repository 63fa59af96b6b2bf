import { eventually } from './eventually.ts';
import { exists, kubectl } from './kubectl.ts';
import { holdfastNamespace, ownMark, sandboxNamespace, testNamespace } from './namespaces.ts';

const namespaces = [holdfastNamespace, sandboxNamespace, testNamespace];

/** Removes an installation of the tests and waits until nothing of it is left. @throws Error where it is somebody else's */
export async function uninstallHoldfast(): Promise<void> {
  await refuseForeign();
  await kubectl(['delete', 'namespace', ...namespaces, '--ignore-not-found', '--wait=false']);
  for (const namespace of namespaces) {
    // Namespaces end their pods with the pods' whole grace period.
    await kubectl(['-n', namespace, 'delete', 'pods', '--all', '--grace-period=1', '--wait=false']);
  }
  await eventually(async () => {
    const left = await kubectl(['get', 'namespace', ...namespaces, '--ignore-not-found', '-o', 'name']);
    if (left !== '') throw new Error(`namespaces are left: ${left}`);
  }, 120_000);
}

/** What an installation that the tests did not make holds may be dear to somebody. */
export async function refuseForeign(): Promise<void> {
  if ((await installedMark()) !== null) return;
  for (const namespace of [holdfastNamespace, sandboxNamespace]) {
    if (!(await exists(['namespace', namespace]))) continue;
    throw new Error(
      `the namespace ${namespace} is there already and was not made by these tests, which would replace it; ` +
        `use another cluster, or delete it first: kubectl delete namespace ${holdfastNamespace} ${sandboxNamespace}`,
    );
  }
}

/** Of what the tests' own installation was made; null where there is none. */
export async function installedMark(): Promise<string | null> {
  const path = `jsonpath={.metadata.annotations.${ownMark.replaceAll('.', '\\.')}}`;
  return (await kubectl(['get', 'namespace', holdfastNamespace, '--ignore-not-found', '-o', path])) || null;
}
