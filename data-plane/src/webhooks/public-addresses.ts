import type { LookupAddress } from 'node:dns';
import type { Resolver } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Networks that are not the Internet (RFC 6890 and the registries of IANA), with those that stand for IPv4 addresses in IPv6. */
const privateNetworks = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  privateNetworks.addSubnet(network, prefix, 'ipv4');
}

/** In IPv6, only global unicast is the Internet, without the parts that are for tunnels, documents and protocols. */
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  privateNetworks.addSubnet(network, prefix, 'ipv6');
}

/** Whether an address is one of the Internet. Pure. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !privateNetworks.check(address, 'ipv4');
  return family === 6 && globalUnicast.check(address, 'ipv6') && !privateNetworks.check(address, 'ipv6');
}

/** The URL names an address, or a host with an address, that is not one of the Internet. */
export class PrivateAddress extends Error {
  override name = 'PrivateAddress';

  constructor(host: string) {
    super(`${host} is not a public address`);
  }
}

/**
 * Resolves a host name for a connection, which then goes to an address that was checked. One private address refuses the host. Asks name servers
 * itself: the system's `getaddrinfo` has two threads for all names of a replica, and those that tenants choose may never be answered.
 */
export const lookUpPublicWith =
  (resolver: Pick<Resolver, 'resolve4' | 'resolve6'>): LookupFunction =>
  (host, options, callback) => {
    const found = ([first, ...more]: FoundAddresses) =>
      options.all ? callback(null, [first, ...more]) : callback(null, first.address, first.family);
    publicAddressesOf(resolver, host).then(found, (error) => callback(error, ''));
  };

type FoundAddresses = [LookupAddress, ...LookupAddress[]];

async function publicAddressesOf(
  resolver: Pick<Resolver, 'resolve4' | 'resolve6'>,
  host: string,
): Promise<FoundAddresses> {
  const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const [first, ...more] = [...addressesIn(four, 4), ...addressesIn(six, 6)];
  if (!first) throw four.status === 'rejected' ? four.reason : new Error(`${host} has no address`);
  if (![first, ...more].every(({ address }) => isPublicAddress(address))) throw new PrivateAddress(host);
  return [first, ...more];
}

const addressesIn = (answer: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] =>
  answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];
