/** An IPv4 network: its first address as a number, and the length of its prefix. */
export type Subnet = { first: number; prefix: number };

/** Room for the bridge, a sandbox and three more. */
const blockPrefix = 29;

/** `10.213.0.0/16`, with a prefix of 8 to 28; null for anything else, bits behind the prefix included. Pure. */
export function parseSubnet(value: string): Subnet | null {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(value)?.slice(1).map(Number);
  if (!parts || parts.slice(0, 4).some((octet) => octet > 255)) return null;
  const [a = 0, b = 0, c = 0, d = 0, prefix = 0] = parts;
  const first = ((a * 256 + b) * 256 + c) * 256 + d;
  if (prefix < 8 || prefix >= blockPrefix || first % 2 ** (32 - prefix) !== 0) return null;
  return { first, prefix };
}

/** How many sandboxes find a network in it. Pure. */
export const blockCount = ({ prefix }: Subnet) => 2 ** (blockPrefix - prefix);

/** A sandbox's network, and in it the machine's own address. */
export type Block = { subnet: string; gateway: string };

/** The network number `index`, counted from 0 and around. Pure. */
export function block(subnet: Subnet, index: number): Block {
  const first = subnet.first + (index % blockCount(subnet)) * 2 ** (32 - blockPrefix);
  return { subnet: `${address(first)}/${blockPrefix}`, gateway: address(first + 1) };
}

const address = (number: number) => [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');
