import { expect, test } from 'vitest';
import { block, blockCount, parseSubnet } from './subnets.ts';

test('divides a subnet into blocks with room for the bridge and a sandbox', () => {
  const subnet = parseSubnet('10.213.0.0/16');
  if (!subnet) throw new Error('no subnet');
  expect(blockCount(subnet)).toBe(8192);
  expect(block(subnet, 0)).toEqual({ subnet: '10.213.0.0/29', gateway: '10.213.0.1' });
  expect(block(subnet, 8191)).toEqual({ subnet: '10.213.255.248/29', gateway: '10.213.255.249' });
  expect(block(subnet, 8192)).toEqual(block(subnet, 0));
  const all = Array.from({ length: blockCount(subnet) }, (_, index) => block(subnet, index).subnet);
  expect(new Set(all).size).toBe(8192);
});

test.each(['10.213.0.0', '10.213.0.0/29', '10.0.0.0/7', '10.213.0.1/16', '10.256.0.0/16', '::/16', 'x', ''])(
  'rejects %j, which cannot be divided',
  (value) => {
    expect(parseSubnet(value)).toBeNull();
  },
);
