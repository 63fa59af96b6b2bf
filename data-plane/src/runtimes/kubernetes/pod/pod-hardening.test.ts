import type { V1Pod } from '@kubernetes/client-node';
import { expect, test } from 'vitest';
import { podManifest } from './pod-manifest.ts';
import { parsePodProfiles } from './pod-profile.ts';

const settings = {
  deployment: 'holdfast',
  database: 'db-1',
  namespace: 'sandboxes',
  uidRange: { first: 1_000_000, last: 2_000_000_000 },
  agentEnv: { HOLDFAST_ENV: 'production' },
  activeDeadlineSeconds: 3600,
  unboundSeconds: 600,
};
const [profile] = parsePodProfiles('{"profiles": [{"name": "python", "image": "python:1", "languages": ["python"]}]}');

function manifest(network: 'none' | 'internet' = 'none'): V1Pod {
  if (!profile) throw new Error('no profile');
  return podManifest(settings, { spec: { name: 'ses-1-1', profile: 'python', network }, profile });
}

/**
 * The names of the fields that violate the Pod Security Standard "restricted", or the further rules for a sandbox. Derived from the
 * standard, not from the code under test.
 * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted
 */
function faultsOf({ metadata, spec }: V1Pod): string[] {
  if (!spec) return ['spec'];
  const [agent, ...others] = spec.containers;
  const container = agent?.securityContext;
  const pod = spec.securityContext;
  const { requests, limits } = agent?.resources ?? {};
  const amounts = ['cpu', 'memory', 'ephemeral-storage'];
  const ownUid = (uid: number | undefined) => uid !== undefined && uid >= 1_000_000 && uid <= 2_000_000_000;
  const volumes = spec.volumes ?? [];
  const checks: Record<string, boolean> = {
    hostNetwork: !spec.hostNetwork,
    hostPID: !spec.hostPID,
    hostIPC: !spec.hostIPC,
    hostUsers: spec.hostUsers === undefined,
    shareProcessNamespace: !spec.shareProcessNamespace,
    oneContainer: others.length === 0 && !spec.initContainers && !spec.ephemeralContainers,
    privileged: container?.privileged === false,
    allowPrivilegeEscalation: container?.allowPrivilegeEscalation === false,
    dropAll: container?.capabilities?.drop?.includes('ALL') === true,
    addNone: (container?.capabilities?.add ?? []).length === 0,
    readOnlyRootFilesystem: container?.readOnlyRootFilesystem === true,
    noOverride: [
      'runAsUser',
      'runAsGroup',
      'runAsNonRoot',
      'seccompProfile',
      'procMount',
      'seLinuxOptions',
      'appArmorProfile',
    ].every((field) => !(field in (container ?? {}))),
    runAsNonRoot: pod?.runAsNonRoot === true,
    runAsUser: ownUid(pod?.runAsUser),
    runAsGroup: ownUid(pod?.runAsGroup),
    fsGroup: ownUid(pod?.fsGroup),
    noSupplements: !pod?.supplementalGroups && !pod?.sysctls && !pod?.seLinuxOptions && !pod?.windowsOptions,
    seccomp: pod?.seccompProfile?.type === 'RuntimeDefault',
    hostPorts: (agent?.ports ?? []).every(({ hostPort }) => hostPort === undefined),
    volumes: volumes.length === 2 && volumes.every((volume) => Object.keys(volume).sort().join() === 'emptyDir,name'),
    sizeLimits: volumes.every(({ emptyDir }) => /^\d+[MG]i$/.test(emptyDir?.sizeLimit ?? '')),
    mounts: (agent?.volumeMounts ?? []).map(({ mountPath }) => mountPath).join() === '/workspace,/tmp',
    requests: amounts.every((amount) => requests?.[amount]),
    limits: amounts.every((amount) => limits?.[amount]),
    processLimit: agent?.command?.slice(0, 2).join(' ') === 'prlimit --nproc=128',
    automountServiceAccountToken: spec.automountServiceAccountToken === false,
    enableServiceLinks: spec.enableServiceLinks === false,
    activeDeadlineSeconds: (spec.activeDeadlineSeconds ?? 0) > 0,
    restartPolicy: spec.restartPolicy === 'Never',
    grace: (spec.terminationGracePeriodSeconds ?? 30) <= 10 && spec.terminationGracePeriodSeconds !== 0,
    noProbes: !agent?.livenessProbe && !agent?.readinessProbe && !agent?.startupProbe && !agent?.lifecycle,
    networkLabel: metadata?.labels?.['holdfast.dev/network'] === 'none',
    dns: spec.dnsPolicy === 'None' && spec.dnsConfig?.nameservers?.join() === '127.0.0.1' && !spec.dnsConfig.searches,
    envFrom: !agent?.envFrom && (agent?.env ?? []).every(({ valueFrom }) => !valueFrom || valueFrom.fieldRef),
  };
  return Object.keys(checks).filter((name) => !checks[name]);
}

test('a pod without network follows the restricted standard and our own rules', () => {
  expect(faultsOf(manifest())).toEqual([]);
});

test('a pod with internet differs only in its label and its resolver', () => {
  expect(faultsOf(manifest('internet'))).toEqual(['networkLabel', 'dns']);
});

/** The path of a field, its wrong value (undefined removes the field), and the rule that this breaks. */
const spoilt: [path: string, value: unknown, fault: string][] = [
  ['spec.hostNetwork', true, 'hostNetwork'],
  ['spec.hostPID', true, 'hostPID'],
  ['spec.hostIPC', true, 'hostIPC'],
  ['spec.hostUsers', true, 'hostUsers'],
  ['spec.shareProcessNamespace', true, 'shareProcessNamespace'],
  ['spec.containers.1', { name: 'more' }, 'oneContainer'],
  ['spec.initContainers', [{ name: 'more' }], 'oneContainer'],
  ['spec.containers.0.securityContext.privileged', undefined, 'privileged'],
  ['spec.containers.0.securityContext.privileged', true, 'privileged'],
  ['spec.containers.0.securityContext.allowPrivilegeEscalation', undefined, 'allowPrivilegeEscalation'],
  ['spec.containers.0.securityContext.allowPrivilegeEscalation', true, 'allowPrivilegeEscalation'],
  ['spec.containers.0.securityContext.capabilities', undefined, 'dropAll'],
  ['spec.containers.0.securityContext.capabilities.drop', [], 'dropAll'],
  ['spec.containers.0.securityContext.capabilities.add', ['NET_BIND_SERVICE'], 'addNone'],
  ['spec.containers.0.securityContext.readOnlyRootFilesystem', undefined, 'readOnlyRootFilesystem'],
  ['spec.containers.0.securityContext.runAsUser', 0, 'noOverride'],
  ['spec.containers.0.securityContext.seccompProfile', { type: 'Unconfined' }, 'noOverride'],
  ['spec.securityContext.runAsNonRoot', undefined, 'runAsNonRoot'],
  ['spec.securityContext.runAsUser', undefined, 'runAsUser'],
  ['spec.securityContext.runAsUser', 0, 'runAsUser'],
  ['spec.securityContext.runAsGroup', undefined, 'runAsGroup'],
  ['spec.securityContext.fsGroup', undefined, 'fsGroup'],
  ['spec.securityContext.supplementalGroups', [0], 'noSupplements'],
  ['spec.securityContext.seccompProfile', undefined, 'seccomp'],
  ['spec.securityContext.seccompProfile.type', 'Unconfined', 'seccomp'],
  ['spec.containers.0.ports.0.hostPort', 8700, 'hostPorts'],
  ['spec.volumes.0', { name: 'workspace', hostPath: { path: '/' } }, 'volumes'],
  ['spec.volumes.0.emptyDir.sizeLimit', undefined, 'sizeLimits'],
  ['spec.volumes.1.emptyDir.sizeLimit', undefined, 'sizeLimits'],
  ['spec.containers.0.volumeMounts.0', undefined, 'mounts'],
  ['spec.containers.0.resources.requests', undefined, 'requests'],
  ['spec.containers.0.resources.limits', undefined, 'limits'],
  ['spec.containers.0.resources.limits.memory', undefined, 'limits'],
  ['spec.containers.0.resources.limits.ephemeral-storage', undefined, 'limits'],
  ['spec.containers.0.command', undefined, 'processLimit'],
  ['spec.automountServiceAccountToken', undefined, 'automountServiceAccountToken'],
  ['spec.enableServiceLinks', undefined, 'enableServiceLinks'],
  ['spec.activeDeadlineSeconds', undefined, 'activeDeadlineSeconds'],
  ['spec.restartPolicy', undefined, 'restartPolicy'],
  ['spec.terminationGracePeriodSeconds', undefined, 'grace'],
  ['spec.containers.0.readinessProbe', {}, 'noProbes'],
  ['metadata.labels', undefined, 'networkLabel'],
  ['metadata.labels.holdfast\\.dev/network', undefined, 'networkLabel'],
  ['spec.dnsPolicy', undefined, 'dns'],
  ['spec.dnsConfig', undefined, 'dns'],
  ['spec.containers.0.envFrom', [{ secretRef: { name: 'keys' } }], 'envFrom'],
];

test.each(spoilt)('the check itself detects a pod with %s = %o', (path, value, fault) => {
  expect(faultsOf(withField(manifest(), { path, value }))).toContain(fault);
});

function withField(pod: V1Pod, { path, value }: { path: string; value: unknown }): V1Pod {
  const copy = structuredClone(pod);
  const keys = path.split(/(?<!\\)\./).map((key) => key.replace('\\.', '.'));
  const last = keys.pop() ?? '';
  const parent = keys.reduce<Record<string, unknown>>((at, key) => at[key] as Record<string, unknown>, copy as never);
  if (Array.isArray(parent) && value === undefined) parent.splice(Number(last), 1);
  else if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy;
}
