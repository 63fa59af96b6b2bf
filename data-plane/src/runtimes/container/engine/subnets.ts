/** An IPv4 network: its first address as a number, and its prefix length. */
export type Subnet = { first: number; prefix: number };

/** A /29 has room for the bridge, a sandbox and four more addresses. */
const blockPrefix = 29;

/** Parses a network such as `10.213.0.0/16`, with a prefix length of 8 to 28 and no bits set after it; null for anything else. Pure. */
export function parseSubnet(value: string): Subnet | null {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(value)?.slice(1).map(Number);
  if (!parts || parts.slice(0, 4).some((octet) => octet > 255)) return null;
  const [a = 0, b = 0, c = 0, d = 0, prefix = 0] = parts;
  const first = ((a * 256 + b) * 256 + c) * 256 + d;
  if (prefix < 8 || prefix >= blockPrefix || first % 2 ** (32 - prefix) !== 0) return null;
  return { first, prefix };
}

/** The number of sandbox networks in a subnet. Pure. */
export const blockCount = ({ prefix }: Subnet) => 2 ** (blockPrefix - prefix);

/** A sandbox's network, and the machine's own address in it. */
export type Block = { subnet: string; gateway: string };

/** The sandbox network number `index`, counted from 0 and wrapping around. Pure. */
export function block(subnet: Subnet, index: number): Block {
  const first = subnet.first + (index % blockCount(subnet)) * 2 ** (32 - blockPrefix);
  return { subnet: `${address(first)}/${blockPrefix}`, gateway: address(first + 1) };
}

const address = (number: number) => [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');
