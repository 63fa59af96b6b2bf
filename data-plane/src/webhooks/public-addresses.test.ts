import type { Resolver } from 'node:dns/promises';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { isPublicAddress, lookUpPublicWith } from './public-addresses.ts';

test.each([
  ...['127.0.0.1', '127.255.255.254', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '0.0.0.0'],
  ...['169.254.169.254', '100.64.0.1', '100.100.100.200', '192.0.0.192', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
  ...['::', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::127.0.0.1', '64:ff9b::7f00:1'],
  ...['64:ff9b:1::1', '2002:7f00:1::', '2001::1', '2001:db8::1', 'fe80::1', 'fc00::1', 'fd00:ec2::254', 'ff02::1'],
  ...['localhost', '', '1', '127.1', '0x7f.1'],
])('%s is not public', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each(['1.1.1.1', '172.32.0.1', '172.15.0.1', '100.128.0.1', '169.253.0.1', '2606:4700::1111', '2a00:1450::1'])(
  '%s is public',
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
  },
);

const lookUp = (names: { four?: string[]; six?: string[] }, options: { all?: boolean }) => {
  const answer = async (addresses: string[] | undefined) => addresses ?? Promise.reject(new Error('ENOTFOUND'));
  const resolver = { resolve4: () => answer(names.four), resolve6: () => answer(names.six) };
  return new Promise((resolve) =>
    lookUpPublicWith(resolver as unknown as Resolver)('example.com', options, (error, ...found) =>
      resolve(error ?? found),
    ),
  );
};

test.each([{}, { all: true }])('a name with one private address is refused: %o', async (options) => {
  const refused = { name: 'PrivateAddress' };
  expect(await lookUp({ four: ['1.1.1.1', '10.0.0.1'] }, options)).toMatchObject(refused);
  expect(await lookUp({ four: ['1.1.1.1'], six: ['::1'] }, options)).toMatchObject(refused);
});

test('a name with public addresses is found, of whichever family they are', async () => {
  const four = { address: '1.1.1.1', family: 4 };
  const six = { address: '2606:4700::1111', family: 6 };
  const both = { four: [four.address], six: [six.address] };
  expect(await lookUp(both, { all: true })).toEqual([[four, six]]);
  expect(await lookUp(both, {})).toEqual([four.address, 4]);
  expect(await lookUp({ six: [six.address] }, {})).toEqual([six.address, 6]);
  expect(await lookUp({ four: [] }, {})).toMatchObject({ message: 'example.com has no address' });
  expect(await lookUp({}, {})).toMatchObject({ message: 'ENOTFOUND' });
});

test('a connection goes to the address that was checked, whatever its name means a moment later', async () => {
  const answers = [['1.1.1.1'], ['127.0.0.1']];
  const resolver = { resolve4: async () => answers.shift() ?? [], resolve6: async () => [] };
  const socket = connect({
    host: 'rebinding.example',
    port: 443,
    lookup: lookUpPublicWith(resolver as unknown as Resolver),
  });
  const dialled = await new Promise((resolve) =>
    socket.on('lookup', (_error, address) => {
      socket.destroy();
      resolve(address);
    }),
  );
  expect([dialled, answers]).toEqual(['1.1.1.1', [['127.0.0.1']]]);
});
