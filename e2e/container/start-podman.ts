import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../data-plane/test/support/eventually.ts';

export type Podman = Awaited<ReturnType<typeof startPodman>>;

/**
 * Starts a Podman with a store, networks and a socket of its own, on machines with and without systemd. Its bridges and firewall rules are in
 * the current network namespace, which `apart` makes. `imageStores` are folders of images that it may read.
 */
export async function startPodman({ imageStores = [] }: { imageStores?: readonly string[] } = {}) {
  const home = await mkdtemp(join(tmpdir(), 'holdfast-podman-'));
  const socketPath = join(home, 'podman.sock');
  await writeFile(join(home, 'containers.conf'), configuration(home));
  const env = { ...process.env, CONTAINERS_CONF: join(home, 'containers.conf') };
  const options = [
    ...['--root', join(home, 'store'), '--runroot', join(home, 'run'), '--tmpdir', join(home, 'tmp')],
    ...[
      '--storage-driver',
      'overlay',
      ...imageStores.flatMap((path) => ['--storage-opt', `additionalimagestore=${path}`]),
    ],
  ];
  let service = await serve();

  function podman(...args: string[]): string {
    const { status, stdout, stderr } = spawnSync('podman', [...options, ...args], { env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`podman ${args.join(' ')}: ${stderr}`);
    return stdout.trim();
  }

  async function serve(): Promise<ChildProcess> {
    const child = spawn('podman', [...options, 'system', 'service', '--time=0', `unix://${socketPath}`], {
      env,
      // Monitors of containers write a file there when memory runs out.
      cwd: home,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await eventually(() => reach(socketPath));
    return child;
  }

  return {
    socketPath,

    /** Podman's command line; throws with what it wrote to stderr. */
    podman,

    /** Restarts the engine as an operator would. Containers continue to run. */
    async restart(): Promise<void> {
      await ended(service);
      service = await serve();
    },

    async stop(): Promise<void> {
      await ended(service);
    },

    async start(): Promise<void> {
      service = await serve();
    },

    /** Also removes everything that the engine has made. */
    async [Symbol.asyncDispose](): Promise<void> {
      await ended(service);
      podman('rm', '--all', '--force', '--time', '0');
      podman('network', 'prune', '--force');
      spawnSync('umount', [join(home, 'store', 'overlay')]);
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** A configuration without systemd, with crun if it is installed and runc otherwise. */
const configuration = (home: string) => `
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "${existsSync('/usr/bin/crun') ? 'crun' : 'runc'}"
[network]
network_backend = "netavark"
network_config_dir = "${join(home, 'networks')}"
`;

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await exit;
}

function reach(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}
