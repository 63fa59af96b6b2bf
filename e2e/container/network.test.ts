import { execFileSync } from 'node:child_process';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runAndShow } from './run-and-show.ts';
import { type OnEngine, startOnEngine } from './start-on-engine.ts';

let on: OnEngine;
const sessions: string[] = [];
beforeAll(async () => {
  on = await startOnEngine({ HOLDFAST_CONTAINER_INTERNET: 'true' });
  for (const body of [{}, {}, { network: 'internet' }]) sessions.push((await on.holdfast.createSession(body)).id);
});
afterAll(() => on[Symbol.asyncDispose]());

const [first, second, connected] = [() => sessions[0] ?? '', () => sessions[1] ?? '', () => sessions[2] ?? ''];
const shown = (id: string, code: string) => runAndShow(on.holdfast, { id, code });

/** Python that tries a connection and returns the outcome. */
const trying = `
import socket, errno
def tried(address, port, kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, kind) as one:
        one.settimeout(2)
        try:
            one.connect((address, port))
            return "connected"
        except OSError as error:
            return errno.errorcode.get(error.errno, type(error).__name__)
own = open("/proc/net/fib_trie").read()
def addresses():
    import re
    return sorted(set(re.findall(r"\\|-- (10\\.[\\d.]+)\\n +/32 host LOCAL", own)))
def gateway():
    *network, last = addresses()[0].split(".")
    return ".".join([*network, str((int(last) & ~7) + 1)])
`;

test('code without a network reaches no address by any protocol, and resolves no name', async () => {
  const seen = await shown(
    first(),
    `${trying}
import socket
def resolved(name):
    try: return socket.getaddrinfo(name, 80) and "resolved"
    except OSError: return "not resolved"
def made(family, kind=socket.SOCK_STREAM, protocol=0):
    try: socket.socket(family, kind, protocol); return "made"
    except OSError as error: return errno.errorcode[error.errno]
show({
    "routes": [line.split()[2] for line in open("/proc/net/route").read().splitlines()[1:]],
    "tcp": [tried(address, 443) for address in ("1.1.1.1", "192.0.2.1", "169.254.169.254", "10.244.0.1")],
    "udp": tried("1.1.1.1", 53, socket.SOCK_DGRAM),
    "ipv6": tried("2606:4700:4700::1111", 443),
    "names": [resolved("example.com"), resolved("host.docker.internal.example")],
    "raw": made(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
    "packet": made(socket.AF_PACKET, socket.SOCK_RAW),
    "vsock": [made(socket.AF_VSOCK), made(socket.AF_VSOCK, socket.SOCK_DGRAM), made(socket.AF_VSOCK, socket.SOCK_SEQPACKET)],
    "unix": made(socket.AF_UNIX),
    "resolver": [line for line in open("/etc/resolv.conf").read().splitlines() if line.startswith("nameserver")],
})`,
  );
  expect(seen).toEqual({
    routes: ['00000000'],
    tcp: ['ENETUNREACH', 'ENETUNREACH', 'ENETUNREACH', 'ENETUNREACH'],
    udp: 'ENETUNREACH',
    ipv6: expect.stringMatching(/ENETUNREACH|EADDRNOTAVAIL|EAFNOSUPPORT/),
    names: ['not resolved', 'not resolved'],
    raw: expect.stringMatching(/EPERM|EACCES/),
    packet: 'EAFNOSUPPORT',
    // Such a socket would reach the host of a virtual machine, and a network namespace does not prevent that.
    vsock: ['EAFNOSUPPORT', 'EAFNOSUPPORT', 'EAFNOSUPPORT'],
    unix: 'made',
    resolver: ['nameserver 127.0.0.1'],
  });
});

test.each(['none', 'internet'])('code with network %s does not reach the agent of another sandbox', async (network) => {
  const from = network === 'none' ? first() : connected();
  const [address] = (await shown(second(), `${trying}\nshow(addresses())`)) as string[];
  expect(address).toMatch(/^10\.213\./);
  const outcome = await shown(from, `${trying}\nshow(tried(${JSON.stringify(address)}, 8700))`);
  expect(outcome).toMatch(/^(ENETUNREACH|EHOSTUNREACH|ECONNREFUSED|ETIMEDOUT|TimeoutError|EAGAIN)$/);
});

test("code cannot reach a listener on the machine's loopback, such as the data-plane", async () => {
  await using server = await listener('127.0.0.1');
  const port = new URL(on.holdfast.url).port;
  for (const id of [first(), connected()]) {
    const code = `${trying}
show([tried(gateway(), ${port}), tried(gateway(), ${server.port}), tried("127.0.0.1", ${server.port})])`;
    expect(await shown(id, code)).toEqual(['ECONNREFUSED', 'ECONNREFUSED', 'ECONNREFUSED']);
  }
});

test('the firewall rule of the README closes listeners on all addresses of the machine to code, and agents still work', async () => {
  await using server = await listener('0.0.0.0');
  const reached = async () => [
    await shown(first(), `${trying}\nshow(tried(gateway(), ${server.port}))`),
    await shown(connected(), `${trying}\nshow(tried(gateway(), ${server.port}))`),
  ];
  const rule = ['INPUT', '-s', '10.213.0.0/16', '-m', 'conntrack', '--ctstate', 'NEW', '-j', 'DROP'];
  expect(await reached()).toEqual(['connected', 'connected']);
  execFileSync('iptables', ['-I', ...rule]);
  try {
    expect(await reached()).toEqual(['TimeoutError', 'TimeoutError']);
    const { id } = await on.holdfast.createSession();
    expect(await shown(id, 'show("a new agent")')).toBe('a new agent');
  } finally {
    execFileSync('iptables', ['-D', ...rule]);
  }
});

/** An address of the machine that is not on a sandbox's bridge, so it is outside for a sandbox. */
const outer = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith('10.213.'));

test.skipIf(!outer)(
  'code with a network reaches addresses behind its bridge, and code without one does not',
  async () => {
    const address = outer?.address ?? '';
    await using server = await listener(address);
    const code = `${trying}\nshow(tried("${address}", ${server.port}))`;
    expect(await shown(connected(), code)).toBe('connected');
    expect(await shown(first(), code)).toBe('ENETUNREACH');
  },
);

async function listener(host: string) {
  const server = createServer((socket) => socket.end());
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as { port: number };
  return { port, [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}
