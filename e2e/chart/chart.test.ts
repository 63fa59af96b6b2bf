import { beforeAll, expect, test } from 'vitest';
import type { Holdfast } from '../cluster/connect-holdfast.ts';
import { chart, installChart } from '../cluster/install-chart.ts';
import { kubectlJson } from '../cluster/kubectl.ts';
import { holdfastNamespace } from '../cluster/namespaces.ts';
import { sandboxPods } from '../cluster/pods.ts';

let holdfast: Holdfast;
let helm: (...args: string[]) => Promise<string>;
beforeAll(async () => {
  ({ holdfast, helm } = await installChart());
  return holdfast.close;
});

test('helm install makes a Holdfast that runs Python and Node steps through the Service', async () => {
  const { id } = await holdfast.createSession();
  expect(await holdfast.runStep(id, { code: '6 * 7' })).toMatchObject({ results: [{ data: { 'text/plain': '42' } }] });
  expect(await holdfast.runStep(id, { language: 'node', code: '6 * 7' })).toMatchObject({
    results: [{ data: { 'text/plain': '42' } }],
  });
  expect(await sandboxPods()).toHaveLength(1);
  await holdfast.deleteSession(id);
});

test('helm test runs a step as a client in the cluster', async () => {
  expect(await helm('test', 'holdfast', '--logs')).toMatch(/Phase: +Succeeded/);
});

test('helm upgrade does not replace secrets', async () => {
  const before = await secretContents();
  await helm('upgrade', 'holdfast', chart, '--reuse-values', '--wait', '--timeout', '4m');
  expect(before.length).toBeGreaterThan(2);
  expect(await secretContents()).toEqual(before);
});

/** Names and contents of the chart's Secrets. */
async function secretContents(): Promise<string[]> {
  type Secret = { metadata: { name: string }; type: string; data: Record<string, string> };
  const { items } = await kubectlJson<{ items: Secret[] }>(['-n', holdfastNamespace, 'get', 'secrets']);
  return items
    .filter(({ type }) => type === 'Opaque')
    .map(({ metadata, data }) => JSON.stringify([metadata.name, data]));
}
