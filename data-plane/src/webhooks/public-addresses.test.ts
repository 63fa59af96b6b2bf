import { expect, test } from 'vitest';
import { isPublicAddress, lookUpPublic } from './public-addresses.ts';

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

test.each([{}, { all: true }])('a name with an address of this machine is refused: %o', async (options) => {
  const refused = await new Promise((resolve) => lookUpPublic('localhost', options, resolve));
  expect(refused).toMatchObject({ name: 'PrivateAddress' });
});
