import type { Network } from '@holdfast/specs/public';

/** The labels by which containers and networks are found. Nothing in their values comes from a tenant. */
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

/** What a container is called: an engine has one space of names for all deployments. */
export const containerName = (deployment: string, name: string) => `${deployment}.${name}`;

/** The network of one incarnation. */
export const networkName = (uid: string) => `holdfast-${uid}`;
