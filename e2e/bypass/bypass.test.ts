import { beforeAll, expect, test } from 'vitest';
import { eventually } from '../../data-plane/test/support/eventually.ts';
import type { Holdfast } from '../cluster/connect-holdfast.ts';
import { installHoldfast } from '../cluster/install-holdfast.ts';
import { kubectl, kubectlJson } from '../cluster/kubectl.ts';
import { holdfastNamespace, testNamespace } from '../cluster/namespaces.ts';
import { type Pod, type PodContainer, pod, replicaPods } from '../cluster/pods.ts';
import { sandboxOf } from '../cluster/sandbox-of.ts';

let holdfast: Holdfast;
beforeAll(async () => {
  holdfast = await installHoldfast({ overlay: 'kind' });
  return holdfast.close;
});

test('the kind overlay runs steps without any key material', async () => {
  const { id } = await holdfast.createSession();
  expect(await holdfast.runStep(id, { code: '6 * 7' })).toMatchObject({ results: [{ data: { 'text/plain': '42' } }] });
  expect(await holdfast.runStep(id, { language: 'node', code: '6 * 7' })).toMatchObject({
    results: [{ data: { 'text/plain': '42' } }],
  });
  const variables = [...environmentOf((await replicaPods())[0]), ...environmentOf(await sandboxOf(holdfast, id))];
  expect(variables.filter((name) => /SIGNING|ENCRYPTION|TOKEN_KEYS/.test(name))).toEqual([]);
  const secrets = await kubectl(['-n', holdfastNamespace, 'get', 'secrets', '-o', 'name']);
  expect(secrets).not.toContain('holdfast-keys');
  await holdfast.request('DELETE', `/v1/sessions/${id}`);
});

test('every answer, readiness and the metrics say that agents are not authenticated', async () => {
  const { status, headers, body } = await holdfast.request('GET', '/v1/sessions');
  expect([status, headers.get('holdfast-insecure')]).toEqual([200, 'agent-auth-bypassed']);
  expect(body.items).toEqual([]);
  expect((await holdfast.request('GET', '/readyz')).body).toMatchObject({ ready: true, agentAuthBypassed: true });
  const [replica] = await holdfast.replicas();
  const metrics = await (await fetch(`${replica?.metricsUrl}/metrics`)).text();
  expect(metrics).toMatch(/^holdfast_agent_auth_bypassed(\{.*\})? 1$/m);
});

test('in production the bypass stops the start of the data-plane', async () => {
  const { spec } = await kubectlJson<{ spec: { template: Pick<Pod, 'spec'> } }>([
    '-n',
    holdfastNamespace,
    'get',
    'deployment',
    'holdfast',
  ]);
  await expectRefusal('refused-data-plane', holdfastNamespace, inProduction(spec.template.spec));
});

test('in production the bypass stops the start of an agent', async () => {
  const { id } = await holdfast.createSession();
  const sandbox = await sandboxOf(holdfast, id);
  await holdfast.request('DELETE', `/v1/sessions/${id}`);
  await expectRefusal('refused-agent', testNamespace, inProduction(sandbox.spec));
});

const environmentOf = (one: Pod | undefined) =>
  (one?.spec.containers ?? []).flatMap(({ env }) => (env ?? []).map(({ name }) => name));

/** The same pod with HOLDFAST_ENV=production, and without what runs before it: a pod without our labels does not reach Postgres. */
function inProduction(spec: Pod['spec']): Pod['spec'] {
  const containers = spec.containers.map((container): PodContainer => {
    const { livenessProbe: _, readinessProbe: __, startupProbe: ___, lifecycle: ____, ...rest } = container;
    const env = (container.env ?? []).filter(({ name }) => name !== 'HOLDFAST_ENV');
    return {
      ...rest,
      name: container.name,
      image: container.image,
      env: [...env, { name: 'HOLDFAST_ENV', value: 'production' }],
    };
  });
  return { ...spec, initContainers: [], containers, restartPolicy: 'Never' };
}

async function expectRefusal(name: string, namespace: string, spec: Pod['spec']): Promise<void> {
  const refused = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace }, spec };
  await kubectl(['apply', '-f', '-'], { input: JSON.stringify(refused) });
  await eventually(async () => {
    const terminated = (await pod(namespace, name)).status.containerStatuses?.[0]?.state.terminated;
    expect(terminated).toMatchObject({ exitCode: 78 });
  }, 60_000);
  expect(await kubectl(['-n', namespace, 'logs', name])).toContain('HOLDFAST_INSECURE_SKIP_AGENT_AUTH');
  await kubectl(['-n', namespace, 'delete', 'pod', name, '--grace-period=1']);
}
