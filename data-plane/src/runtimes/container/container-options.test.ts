import type { ContainerCreateOptions } from 'dockerode';
import { expect, test } from 'vitest';
import { containerOptions } from './container-options.ts';
import { parseContainerProfiles } from './container-profile.ts';

const settings = {
  deployment: 'holdfast',
  database: 'db-1',
  uidRange: { first: 1_000_000, last: 2_000_000_000 },
  agentEnv: { HOLDFAST_ENV: 'production' },
  unboundSeconds: 600,
};
const [profile] = parseContainerProfiles('{"profiles": [{"name": "p", "image": "p:1", "languages": ["python"]}]}');

function options(network: 'none' | 'internet' = 'none', warm = false): ContainerCreateOptions {
  if (!profile) throw new Error('no profile');
  return containerOptions(settings, { spec: { name: 'ses-1-1', profile: 'p', network, warm }, profile, uid: 'uid_1' });
}

/** The names of the fields that do not confine a container. Derived from what a sandbox needs, not from the code under test. */
function faultsOf({ User, Env, HostConfig: host = {}, Volumes, StopTimeout }: ContainerCreateOptions): string[] {
  const [uid, gid] = (User ?? '').split(':').map(Number);
  const limits = new Map(host.Ulimits?.map(({ Name, Hard }) => [Name, Hard]));
  const bounded = (options = '') => /\bsize=\d+\b/.test(options) && /nosuid/.test(options) && /nodev/.test(options);
  const checks: Record<string, boolean> = {
    privileged: host.Privileged === false,
    capabilities: host.CapDrop?.join() === 'ALL' && host.CapAdd === undefined,
    newPrivileges: host.SecurityOpt?.join() === 'no-new-privileges',
    root: host.ReadonlyRootfs === true,
    user: (uid ?? 0) >= 1_000_000 && uid === gid,
    binds: !host.Binds && !host.Mounts && !Volumes && !host.VolumesFrom && !host.Devices,
    tmpfs: Object.values(host.Tmpfs ?? {}).every(bounded),
    memory: host.Memory === 512 * 2 ** 20 && host.MemorySwap === host.Memory && !host.OomKillDisable,
    shm: (host.ShmSize ?? 0) > 0 && (host.ShmSize ?? 0) <= 64 * 2 ** 20,
    cpu: host.NanoCpus === 5e8,
    processes: host.PidsLimit === 128 && limits.get('nproc') === 128,
    dumps: limits.get('core') === 0,
    namespaces: !host.PidMode && !host.UTSMode && !host.UsernsMode && host.IpcMode === 'private',
    network: host.NetworkMode === 'holdfast-uid_1' && !host.PortBindings && !host.ExtraHosts && !host.Links,
    ipv6: host.Sysctls?.['net.ipv6.conf.all.disable_ipv6'] === '1',
    log: Number.parseInt(host.LogConfig?.Config['max-size'] ?? '0', 10) === 1,
    grace: StopTimeout === 1,
    restart: host.RestartPolicy?.Name === 'no' && host.AutoRemove === false,
    env: !Env?.some((entry) => /KEY|TOKEN|SECRET|DATABASE/.test(entry)),
  };
  return Object.keys(checks).filter((name) => !checks[name]);
}

test.each(['none', 'internet'] as const)('a container with network %s is confined in every respect', (network) => {
  expect(faultsOf(options(network))).toEqual([]);
});

test('the variables of a profile reach the agent', () => {
  const env = { PIP_INDEX_URL: 'https://a', https_proxy: 'http://b:3128' };
  const json = JSON.stringify({ profiles: [{ name: 'p', image: 'p:1', languages: ['python'], env }] });
  const [withEnv] = parseContainerProfiles(json);
  if (!withEnv) throw new Error('no profile');
  const spec = { name: 'ses-1-1', profile: 'p', network: 'internet' } as const;
  const { Env } = containerOptions(settings, { spec, profile: withEnv, uid: 'uid_1' });
  expect(Env).toContain(`HOLDFAST_SANDBOX_ENV=${JSON.stringify(env)}`);
  expect(Env).toContain('HOLDFAST_AGENT_FILE_ROOTS=["/tmp"]');
  expect(options().Env?.join()).not.toContain('HOLDFAST_SANDBOX_ENV');
});

test('a profile gives the workspace, the home directory and the user another name', () => {
  const like = { workspacePath: '/home/user', home: '/home/user', user: 'user' };
  const json = JSON.stringify({ profiles: [{ name: 'p', image: 'p:1', languages: ['python'], ...like }] });
  const [profile] = parseContainerProfiles(json);
  if (!profile) throw new Error('no profile');
  const spec = { name: 'ses-1-1', profile: 'p', network: 'internet' } as const;
  const { Env, WorkingDir, HostConfig } = containerOptions(settings, { spec, profile, uid: 'uid_1' });
  expect(WorkingDir).toBe('/home/user');
  expect(Env).toEqual(
    expect.arrayContaining(['HOLDFAST_WORKSPACE=/home/user', 'HOME=/home/user', 'HOLDFAST_SANDBOX_USER=user']),
  );
  expect(Env).toContain('HOLDFAST_SANDBOX_ENV={"USER":"user","LOGNAME":"user"}');
  expect(Object.keys(HostConfig?.Tmpfs ?? {})).toEqual(expect.arrayContaining(['/home/user', '/tmp']));
  expect(HostConfig?.Tmpfs).not.toHaveProperty('/workspace');
});

test.each([
  ['privileged', { Privileged: true }],
  ['capabilities', { CapAdd: ['NET_ADMIN'] }],
  ['newPrivileges', { SecurityOpt: [] }],
  ['root', { ReadonlyRootfs: false }],
  ['binds', { Binds: ['/var/run/docker.sock:/var/run/docker.sock'] }],
  ['tmpfs', { Tmpfs: { '/tmp': 'rw' } }],
  ['memory', { MemorySwap: -1 }],
  ['namespaces', { PidMode: 'host' }],
  ['network', { NetworkMode: 'host' }],
])('the check itself detects a wrong %s', (field, wrong) => {
  const { HostConfig, ...rest } = options();
  expect(faultsOf({ ...rest, HostConfig: { ...HostConfig, ...wrong } })).toEqual([field]);
});

test('a container without network has no resolver, and one with network has that of the engine', () => {
  expect(options('none').HostConfig?.Dns).toEqual(['127.0.0.1']);
  expect(options('internet').HostConfig?.Dns).toBeUndefined();
});

test('the agent learns its uid, and a warm one learns how long it may wait', () => {
  expect(options().Env).toContain('HOLDFAST_SANDBOX_UID=uid_1');
  expect(options().Env?.join()).not.toContain('UNBOUND');
  expect(options('none', true).Env).toContain('HOLDFAST_AGENT_UNBOUND_SECONDS=600');
});
