import type { Network } from '@holdfast/specs/public';
import type { NetworkCreateOptions } from 'dockerode';
import type { Owner } from '../../runtime.ts';
import { networkName, ownerLabels, ownLabels } from './labels.ts';
import type { Block } from './subnets.ts';

type Wanted = Block & { owner: Owner; uid: string; network: Network };

/** Docker's options for the network of one sandbox. Only the machine itself can reach into that network. Pure. */
export function dockerNetwork({ owner, uid, network, subnet }: Wanted): NetworkCreateOptions {
  return {
    Name: networkName(uid),
    Driver: 'bridge',
    // No route out, and firewall rules that drop everything from elsewhere.
    Internal: network === 'none',
    EnableIPv6: false,
    // No explicit gateway: it would become a route even if the network is internal.
    IPAM: { Driver: 'default', Config: [{ Subnet: subnet }] },
    Labels: networkLabels({ owner, uid }),
  };
}

/**
 * Podman's own options for the same network. Only they can disable the bridge's resolver, which would carry names out, and the route to
 * other networks.
 * @see https://docs.podman.io/en/latest/_static/api.html (networks/create)
 */
export function podmanNetwork({ owner, uid, network, subnet, gateway }: Wanted): object {
  return {
    name: networkName(uid),
    driver: 'bridge',
    internal: network === 'none',
    ipv6_enabled: false,
    dns_enabled: false,
    // Without a gateway the machine itself would not be on the network.
    subnets: [{ subnet, gateway }],
    options: { isolate: 'true' },
    labels: networkLabels({ owner, uid }),
  };
}

const networkLabels = ({ owner, uid }: Pick<Wanted, 'owner' | 'uid'>) => ({
  ...ownerLabels(owner),
  [ownLabels.uid]: uid,
});
