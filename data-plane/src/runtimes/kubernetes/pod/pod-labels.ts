import type { Network } from '@holdfast/specs/public';

/** The labels of our pods, by which they are found and by which NetworkPolicies select them. No value comes from a tenant. */
export const ownLabels = {
  name: 'app.kubernetes.io/name',
  managedBy: 'app.kubernetes.io/managed-by',
  deployment: 'holdfast.dev/deployment',
  network: 'holdfast.dev/network',
  profile: 'holdfast.dev/profile',
} as const;

/** Pure. */
export function podLabels(of: { deployment: string; network: Network; profile: string }): Record<string, string> {
  return {
    ...deploymentLabels(of.deployment),
    [ownLabels.network]: of.network,
    [ownLabels.profile]: of.profile,
  };
}

/** Whether a pod with these labels is a sandbox of this deployment. */
export function isOurs(deployment: string, labels: Record<string, string> | undefined): boolean {
  return Object.entries(deploymentLabels(deployment)).every(([name, value]) => labels?.[name] === value);
}

/** Selects the sandboxes of this deployment. */
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
