const load = 0x20;
const equal = 0x15;
const atLeast = 0x35;
const give = 0x06;

const number = 0;
const architecture = 4;
const firstArgument = 16;

const x64 = 0xc000_003e;
const arm64 = 0xc000_00b7;
const x32Bit = 0x4000_0000;
const socketCall = { x64: 41, arm64: 198 };
/** This call can also create sockets, which the filter would not see. */
const ioUringSetup = 425;

/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: the families that a network namespace confines. */
const families = [1, 2, 10, 16];

const allowed = 0x7fff_0000;
const failure = (errno: number) => 0x0005_0000 + errno;
const addressFamilyNotSupported = 97;
const noSuchCall = 38;

type Instruction = readonly [code: number, value: number, then?: Label, otherwise?: Label];
type Label = 'arm64' | 'family' | 'unsupported' | 'missing' | 'allowed' | 'x64';

const program: readonly (Instruction | Label)[] = [
  [load, architecture],
  [equal, arm64, 'arm64'],
  // Programs of another architecture have other call numbers.
  [equal, x64, 'x64', 'missing'],
  'x64',
  [load, number],
  [atLeast, x32Bit, 'missing'],
  [equal, socketCall.x64, 'family'],
  [equal, ioUringSetup, 'missing', 'allowed'],
  'arm64',
  [load, number],
  [equal, socketCall.arm64, 'family'],
  [equal, ioUringSetup, 'missing', 'allowed'],
  'family',
  [load, firstArgument],
  ...families.map((family): Instruction => [equal, family, 'allowed']),
  'unsupported',
  [give, failure(addressFamilyNotSupported)],
  'missing',
  [give, failure(noSuchCall)],
  'allowed',
  [give, allowed],
];

/**
 * A seccomp filter in the format of `setpriv --seccomp-filter`. It forbids sockets that a network namespace does not confine: a socket of the
 * family AF_VSOCK reaches the host of a virtual machine, and not every engine forbids that. Pure.
 * @see https://docs.kernel.org/userspace-api/seccomp_filter.html, struct sock_filter in linux/filter.h
 */
export function socketFilter(): Buffer {
  const places = new Map<Label, number>();
  const instructions: Instruction[] = [];
  for (const part of program) {
    if (typeof part === 'string') places.set(part, instructions.length);
    else instructions.push(part);
  }
  const bytes = Buffer.alloc(instructions.length * 8);
  instructions.forEach(([code, value, then, otherwise], index) => {
    const distance = (label?: Label) => (label ? (places.get(label) ?? 0) - index - 1 : 0);
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(distance(then), index * 8 + 2);
    bytes.writeUInt8(distance(otherwise), index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  });
  return bytes;
}
