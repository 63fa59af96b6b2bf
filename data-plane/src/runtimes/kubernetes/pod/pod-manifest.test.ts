import { expect, test } from 'vitest';
import { podManifest } from './pod-manifest.ts';
import { type PodProfile, parsePodProfiles } from './pod-profile.ts';

const settings = {
  deployment: 'holdfast',
  database: 'db-1',
  namespace: 'sandboxes',
  uidRange: { first: 1_000_000, last: 2_000_000_000 },
  agentEnv: { HOLDFAST_ENV: 'production', HOLDFAST_AGENT_LEASE_SECONDS: '120', HOME: '/root' },
  activeDeadlineSeconds: 3600,
  unboundSeconds: 600,
};
const profile = profileWith({});
const spec = { name: 'ses-1-1', profile: 'python', network: 'internet' } as const;

function profileWith(fields: object): PodProfile {
  const given = { name: 'python', image: 'python:1', languages: ['python'], ...fields };
  return parsePodProfiles(JSON.stringify({ profiles: [given] }))[0] as PodProfile;
}

function environment(of: Partial<Parameters<typeof podManifest>[1]['spec']> = {}) {
  const env = podManifest(settings, { spec: { ...spec, ...of }, profile }).spec?.containers[0]?.env ?? [];
  return Object.fromEntries(env.map(({ name, value, valueFrom }) => [name, value ?? valueFrom?.fieldRef?.fieldPath]));
}

test('the agent learns the control plane, its pod and its volumes, and our variables override given ones', () => {
  expect(environment()).toEqual({
    HOLDFAST_ENV: 'production',
    HOLDFAST_AGENT_LEASE_SECONDS: '120',
    HOLDFAST_AGENT_PORT: '8700',
    HOLDFAST_AGENT_HOST: 'status.podIP',
    HOLDFAST_SANDBOX_UID: 'metadata.uid',
    HOLDFAST_WORKSPACE: '/workspace',
    HOME: '/tmp',
    TMPDIR: '/tmp',
    HOLDFAST_AGENT_SAVING_SECONDS: '8',
    HOLDFAST_AGENT_FILE_ROOTS: '["/tmp"]',
    HOLDFAST_OUTPUT_FILES_BYTES_MAX: String(64 * 2 ** 20),
  });
});

test('the variables of a profile reach the agent as they are', () => {
  const env = { PIP_INDEX_URL: 'https://a$(HOME)$$b', no_proxy: '' };
  const manifest = podManifest(settings, { spec, profile: profileWith({ env }) });
  const value = manifest.spec?.containers[0]?.env?.find(({ name }) => name === 'HOLDFAST_SANDBOX_ENV')?.value ?? '';
  // Kubernetes replaces `$(NAME)`, and `$$` by `$`.
  expect(value).not.toMatch(/(^|[^$])(\$\$)*\$\(/);
  expect(JSON.parse(value.replaceAll('$$', () => '$'))).toEqual(env);
});

test('a profile gives the workspace, the home directory and the user another name', () => {
  const like = { workspacePath: '/home/user', home: '/home/user', user: 'user', env: { A: 'b' } };
  const [container] = podManifest(settings, { spec, profile: profileWith(like) }).spec?.containers ?? [];
  const env = Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value]));
  expect(env).toMatchObject({
    HOLDFAST_WORKSPACE: '/home/user',
    HOME: '/home/user',
    TMPDIR: '/tmp',
    HOLDFAST_SANDBOX_USER: 'user',
  });
  expect(JSON.parse(env.HOLDFAST_SANDBOX_ENV ?? '')).toEqual({ USER: 'user', LOGNAME: 'user', A: 'b' });
  expect(container?.workingDir).toBe('/home/user');
  // The image's own paths lead to the same files.
  expect(container?.volumeMounts).toEqual([
    { name: 'workspace', mountPath: '/home/user' },
    { name: 'workspace', mountPath: '/workspace' },
    { name: 'tmp', mountPath: '/tmp' },
  ]);
});

test('only the agent of a warm sandbox waits for its session', () => {
  expect(environment({ warm: true })).toEqual({ ...environment(), HOLDFAST_AGENT_UNBOUND_SECONDS: '600' });
});

test('the same sandbox has the same pod on every replica', () => {
  expect(podManifest(settings, { spec: { ...spec }, profile })).toEqual(podManifest(settings, { spec, profile }));
});

test('a profile cannot change the labels that select a pod', () => {
  const labels = { 'example.com/team': 'a', 'holdfast.dev/network': 'none', 'app.kubernetes.io/name': 'other' };
  const { metadata } = podManifest(settings, { spec, profile: { ...profile, labels } });
  expect(metadata?.labels).toEqual({
    'example.com/team': 'a',
    'app.kubernetes.io/name': 'holdfast-sandbox',
    'app.kubernetes.io/managed-by': 'holdfast',
    'holdfast.dev/deployment': 'holdfast',
    'holdfast.dev/database': 'db-1',
    'holdfast.dev/network': 'internet',
    'holdfast.dev/profile': 'python',
  });
});

test('the pod contains the placement that the operator asks for, and none by default', () => {
  const asked = {
    runtimeClassName: 'gvisor',
    priorityClassName: 'low',
    nodeSelector: { pool: 'sandboxes' },
    tolerations: [{ key: 'sandboxes', operator: 'Exists', effect: 'NoSchedule' }],
    imagePullSecrets: [{ name: 'registry' }],
  };
  const { spec: pod } = podManifest(settings, { spec, profile: profileWith(asked) });
  expect(pod).toMatchObject(asked);
  expect(Object.keys(podManifest(settings, { spec, profile }).spec ?? {})).not.toEqual(
    expect.arrayContaining([expect.stringMatching(new RegExp(`^(${Object.keys(asked).join('|')})$`))]),
  );
});

test('sizes and the process limit come from the profile', () => {
  const sized = profileWith({ workspaceSizeLimit: '5Gi', tmpSizeLimit: '64Mi', processesMax: 64 });
  const { spec: pod } = podManifest(settings, { spec, profile: sized });
  expect(pod?.volumes?.map(({ emptyDir }) => emptyDir?.sizeLimit)).toEqual(['5Gi', '64Mi']);
  expect(pod?.containers[0]?.command).toEqual(['prlimit', '--nproc=64', '/opt/holdfast/run']);
});
