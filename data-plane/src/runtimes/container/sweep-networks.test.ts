import { expect, test } from 'vitest';
import { ownLabels } from './engine/labels.ts';
import { sweepNetworks } from './sweep-networks.ts';

test('removes networks whose container is gone, except young ones that a launch may be about to use', async () => {
  const now = () => Date.parse('2026-11-22T05:10:00Z');
  const network = (uid: string, minute: number) => {
    const createdAt = new Date(`2026-11-22T05:0${minute}:00Z`);
    return { name: `holdfast-${uid}`, uid, createdAt };
  };
  const removed: string[] = [];
  const engine = {
    listNetworks: async () => [network('used', 0), network('unused', 1), network('young', 9)],
    removeNetwork: async (name: string) => void removed.push(name),
  };
  const container = {
    id: '1',
    name: 'holdfast.ses-1',
    labels: { [ownLabels.uid]: 'used' },
    status: 'running',
    address: null,
    createdAt: new Date(0),
    end: null,
  };
  await sweepNetworks({ engine, now }, [container]);
  expect(removed).toEqual(['holdfast-unused']);
});
