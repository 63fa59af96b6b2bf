import type { Network } from '@holdfast/specs/public';
import type { NetworkCreateOptions } from 'dockerode';
import { networkName, ownLabels } from './labels.ts';
import type { Block } from './subnets.ts';

type Wanted = Block & { deployment: string; uid: string; network: Network };

/** Docker's options for the network of one sandbox. Only the machine itself can reach into that network. Pure. */
export function dockerNetwork({ deployment, uid, network, subnet }: Wanted): NetworkCreateOptions {
  return {
    Name: networkName(uid),
    Driver: 'bridge',
    // No route out, and firewall rules that drop everything from elsewhere.
    Internal: network === 'none',
    EnableIPv6: false,
    // No explicit gateway: it would become a route even if the network is internal.
    IPAM: { Driver: 'default', Config: [{ Subnet: subnet }] },
    Labels: networkLabels({ deployment, uid }),
  };
}

/**
 * Podman's own options for the same network. Only they can disable the bridge's resolver, which would carry names out, and the route to
 * other networks.
 * @see https://docs.podman.io/en/latest/_static/api.html (networks/create)
 */
export function podmanNetwork({ deployment, uid, network, subnet, gateway }: Wanted): object {
  return {
    name: networkName(uid),
    driver: 'bridge',
    internal: network === 'none',
    ipv6_enabled: false,
    dns_enabled: false,
    // Without a gateway the machine itself would not be on the network.
    subnets: [{ subnet, gateway }],
    options: { isolate: 'true' },
    labels: networkLabels({ deployment, uid }),
  };
}

const networkLabels = ({ deployment, uid }: Pick<Wanted, 'deployment' | 'uid'>) => ({
  [ownLabels.deployment]: deployment,
  [ownLabels.uid]: uid,
});
