import type { Network } from '@holdfast/specs/public';

/** The labels of our containers and networks, by which they are found. No value comes from a tenant. */
export const ownLabels = {
  deployment: 'holdfast.dev/deployment',
  sandbox: 'holdfast.dev/sandbox',
  uid: 'holdfast.dev/uid',
  network: 'holdfast.dev/network',
  profile: 'holdfast.dev/profile',
} as const;

type Labelled = { deployment: string; name: string; uid: string; network: Network; profile: string };

/** Pure. */
export const sandboxLabels = ({ deployment, name, uid, network, profile }: Labelled): Record<string, string> => ({
  [ownLabels.deployment]: deployment,
  [ownLabels.sandbox]: name,
  [ownLabels.uid]: uid,
  [ownLabels.network]: network,
  [ownLabels.profile]: profile,
});

/** The name of a sandbox's container. It contains the deployment, because an engine has one namespace for all deployments. */
export const containerName = (deployment: string, name: string) => `${deployment}.${name}`;

/** The name of an incarnation's network. */
export const networkName = (uid: string) => `holdfast-${uid}`;
