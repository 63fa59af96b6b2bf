import type { Network } from '@holdfast/specs/public';
import type { NetworkCreateOptions } from 'dockerode';
import { networkName, ownLabels } from './labels.ts';
import type { Block } from './subnets.ts';

type Wanted = Block & { deployment: string; uid: string; network: Network };

/** The network of one sandbox, which only the machine's own end of it can reach, in Docker's words. Pure. */
export function dockerNetwork({ deployment, uid, network, subnet }: Wanted): NetworkCreateOptions {
  return {
    Name: networkName(uid),
    Driver: 'bridge',
    // Without a route outwards, and with rules that keep everything else out.
    Internal: network === 'none',
    EnableIPv6: false,
    // A gateway that is named would be a route, also where the network is internal.
    IPAM: { Driver: 'default', Config: [{ Subnet: subnet }] },
    Labels: networkLabels({ deployment, uid }),
  };
}

/**
 * The same in Podman's own words: only they switch off the resolver on the bridge, which would carry names outwards, and the way
 * to other networks.
 * @see https://docs.podman.io/en/latest/_static/api.html (networks/create)
 */
export function podmanNetwork({ deployment, uid, network, subnet, gateway }: Wanted): object {
  return {
    name: networkName(uid),
    driver: 'bridge',
    internal: network === 'none',
    ipv6_enabled: false,
    dns_enabled: false,
    // Without one the machine itself would not be on it.
    subnets: [{ subnet, gateway }],
    options: { isolate: 'true' },
    labels: networkLabels({ deployment, uid }),
  };
}

const networkLabels = ({ deployment, uid }: Pick<Wanted, 'deployment' | 'uid'>) => ({
  [ownLabels.deployment]: deployment,
  [ownLabels.uid]: uid,
});
