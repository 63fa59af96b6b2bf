import type { ContainerCreateOptions } from 'dockerode';
import { profileEnvironment } from '../parse-profiles.ts';
import type { Owner, SandboxSpec } from '../runtime.ts';
import { sandboxUserId, type UidRange } from '../sandbox-user-id.ts';
import type { ContainerProfile } from './container-profile.ts';
import { containerName, networkName, sandboxLabels } from './engine/labels.ts';
import { agentPort } from './observe/sandbox-from-container.ts';

export type ContainerSettings = Owner & {
  uidRange: UidRange;
  /** The environment of every session-agent. The code in the sandbox can read it. */
  agentEnv: Readonly<Record<string, string>>;
  /** How long the agent of a warm sandbox waits for its session. */
  unboundSeconds: number;
};

/** A program in every runtime image. It becomes the init, whose only child is the session-agent. */
const agentProgram = '/opt/holdfast/run';
const filesMax = 16_384;
const sharedMemoryBytes = 64 * 2 ** 20;
/** Podman sends SIGTERM before SIGKILL even if it removes by force. Code that has stopped its agent must not delay that. */
const graceSeconds = 1;

/**
 * The container of a sandbox: a read-only root, two file systems in memory, a user of its own, no capability and no way to get one. Nothing
 * in the options is secret or chosen by a tenant. Pure.
 */
export function containerOptions(
  settings: ContainerSettings,
  { spec, profile, uid }: { spec: SandboxSpec; profile: ContainerProfile; uid: string },
): ContainerCreateOptions {
  const { name, network } = spec;
  const user = sandboxUserId(name, settings.uidRange);
  const { limits } = profile.resources;
  return {
    name: containerName(settings.deployment, name),
    Image: profile.image,
    Entrypoint: [agentProgram],
    Cmd: [],
    User: `${user}:${user}`,
    WorkingDir: profile.workspacePath,
    StopTimeout: graceSeconds,
    Labels: sandboxLabels({ owner: settings, name, uid, network, profile: profile.name }),
    Env: environment(settings, { spec, profile, uid }),
    HostConfig: {
      ...(profile.runtimeClassName && { Runtime: profile.runtimeClassName }),
      NetworkMode: networkName(uid),
      ...(network === 'none' && withoutDns),
      Privileged: false,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      ReadonlyRootfs: true,
      Tmpfs: {
        [profile.workspacePath]: memoryFiles(profile.workspaceSizeLimit),
        '/tmp': memoryFiles(profile.tmpSizeLimit),
        ...unwritable,
      },
      ShmSize: sharedMemoryBytes,
      Memory: limits.memory,
      // The same as the memory, so that the container gets no swap.
      MemorySwap: limits.memory,
      NanoCpus: Math.round(limits.cpu * 1e9),
      PidsLimit: profile.processesMax,
      Ulimits: [
        { Name: 'nofile', Soft: filesMax, Hard: filesMax },
        { Name: 'nproc', Soft: profile.processesMax, Hard: profile.processesMax },
        { Name: 'core', Soft: 0, Hard: 0 },
      ],
      IpcMode: 'private',
      ...ownCgroups,
      Sysctls: { 'net.ipv6.conf.all.disable_ipv6': '1' },
      RestartPolicy: { Name: 'no' },
      AutoRemove: false,
      LogConfig: boundedLog,
    },
  };
}

/** Executable, because code may bring programs and libraries. The workspace belongs to root, so that code cannot remove it. */
const memoryFiles = (bytes: number) => `rw,exec,nosuid,nodev,size=${Math.floor(bytes)},mode=1777`;

/** Podman makes these folders writable beside a read-only root, without a size limit. */
const unwritable = { '/run': 'ro,nosuid,nodev,noexec,size=4096', '/var/tmp': 'ro,nosuid,nodev,noexec,size=4096' };

/** Disables DNS: the resolver is the sandbox's own loopback, which does not answer. So a lookup cannot carry data out. */
const withoutDns = { Dns: ['127.0.0.1'], DnsSearch: ['.'], DnsOptions: ['attempts:1', 'timeout:1'] };

/** The client library's type lacks this field. */
const ownCgroups: object = { CgroupnsMode: 'private' };

/** Bounded, because code can write to the agent's own streams too. */
const boundedLog = { Type: 'json-file', Config: { 'max-size': '1m' } };

function environment(
  settings: ContainerSettings,
  { spec, profile, uid }: { spec: Pick<SandboxSpec, 'warm'>; profile: ContainerProfile; uid: string },
): string[] {
  const env = {
    ...settings.agentEnv,
    ...profileEnvironment(profile),
    HOLDFAST_SANDBOX_UID: uid,
    HOLDFAST_AGENT_HOST: '0.0.0.0',
    HOLDFAST_AGENT_PORT: String(agentPort),
    TMPDIR: '/tmp',
    ...(spec.warm && { HOLDFAST_AGENT_UNBOUND_SECONDS: String(settings.unboundSeconds) }),
  };
  return Object.entries(env).map(([name, value]) => `${name}=${value}`);
}
