import type { Network } from '@holdfast/specs/public';
import type { Owner } from '../../runtime.ts';

/** The labels of our pods, by which they are found and by which NetworkPolicies select them. No value comes from a tenant. */
export const ownLabels = {
  name: 'app.kubernetes.io/name',
  managedBy: 'app.kubernetes.io/managed-by',
  deployment: 'holdfast.dev/deployment',
  database: 'holdfast.dev/database',
  network: 'holdfast.dev/network',
  profile: 'holdfast.dev/profile',
} as const;

/** Pure. */
export function podLabels(of: Owner & { network: Network; profile: string }): Record<string, string> {
  return {
    ...deploymentLabels(of.deployment),
    [ownLabels.database]: of.database,
    [ownLabels.network]: of.network,
    [ownLabels.profile]: of.profile,
  };
}

/** Whether a pod with these labels is a sandbox of this owner. A pod without the label of a database is one too. Pure. */
export function isOurs({ deployment, database }: Owner, labels: Record<string, string> | undefined): boolean {
  const isOfDeployment = Object.entries(deploymentLabels(deployment)).every(
    ([name, value]) => labels?.[name] === value,
  );
  return isOfDeployment && (labels?.[ownLabels.database] ?? database) === database;
}

/** Selects the sandboxes of this deployment, whichever their database. No selector has both pods with a label and pods without it. */
export function deploymentSelector(deployment: string): string {
  return Object.entries(deploymentLabels(deployment))
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}

const deploymentLabels = (deployment: string) => ({
  [ownLabels.name]: 'holdfast-sandbox',
  [ownLabels.managedBy]: 'holdfast',
  [ownLabels.deployment]: deployment,
});
