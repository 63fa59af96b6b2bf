import type { Network } from '@holdfast/specs/public';
import type { Owner } from '../../runtime.ts';

/** The labels of our containers and networks, by which they are found. No value comes from a tenant. */
export const ownLabels = {
  deployment: 'holdfast.dev/deployment',
  database: 'holdfast.dev/database',
  sandbox: 'holdfast.dev/sandbox',
  uid: 'holdfast.dev/uid',
  network: 'holdfast.dev/network',
  profile: 'holdfast.dev/profile',
} as const;

type Labelled = { owner: Owner; name: string; uid: string; network: Network; profile: string };

/** Pure. */
export const sandboxLabels = ({ owner, name, uid, network, profile }: Labelled): Record<string, string> => ({
  ...ownerLabels(owner),
  [ownLabels.sandbox]: name,
  [ownLabels.uid]: uid,
  [ownLabels.network]: network,
  [ownLabels.profile]: profile,
});

/** The labels of every container and network. Pure. */
export const ownerLabels = ({ deployment, database }: Owner): Record<string, string> => ({
  [ownLabels.deployment]: deployment,
  [ownLabels.database]: database,
});

/** Whether the sandbox with these labels is of this owner. One without the label of a database is, too. Pure. */
export const isOurs = ({ deployment, database }: Owner, labels: Readonly<Record<string, string>>): boolean =>
  labels[ownLabels.deployment] === deployment &&
  (labels[ownLabels.database] ?? database) === database &&
  labels[ownLabels.uid] !== undefined;

/** The name of a sandbox's container. It contains the deployment, because an engine has one namespace for all deployments. */
export const containerName = (deployment: string, name: string) => `${deployment}.${name}`;

/** The name of an incarnation's network. */
export const networkName = (uid: string) => `holdfast-${uid}`;
