import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { profiles } from '../../support/kubernetes-runtime.ts';
import { type Holdfast, startHoldfast } from '../../support/start-holdfast.ts';
import type { PostgresServer } from './postgres-server.ts';
import { startProxy, type TcpProxy } from './tcp-proxy.ts';

/** The program is killed when this process ends, however it ends. */
const endsWithUs = ['setpriv', '--pdeathsig', 'KILL', '--'];

/** One data-plane process and its way to Postgres. */
export type Replica = {
  name: string;
  proxy: TcpProxy;
  /** The current program; a killed replica gets another one. */
  current: Holdfast;
  /** A fault that owns the replica, so that no second fault touches it. */
  isTaken: boolean;
  restart(): Promise<void>;
};

export type Deployment = { name: string; role: string; replicas: Replica[]; close(): Promise<void> };

type Given = { name: string; directory: string; kubeconfig: string; postgres: PostgresServer; replicas: number };

export const stepTimeoutSeconds = 15;
export const stepGraceSeconds = 1;
/** On a machine with much to do, a start takes 20 s, and Postgres may end several. */
const startMs = 240_000;

/** Data-planes on a database of their own. All deployments have the same deployment name and share one cluster. */
export async function startDeployment(given: Given): Promise<Deployment> {
  const { name, directory, postgres } = given;
  const role = `deployment_${name}`;
  await postgres.admin(`create role ${role} login`);
  await postgres.admin(`create database ${role} owner ${role}`);
  const replicas: Replica[] = [];
  for (let index = 0; index < given.replicas; index++) {
    const dataDir = join(directory, `${name}${index}`);
    await mkdir(dataDir, { recursive: true });
    replicas.push(await startReplica({ ...given, name: `${name}${index}`, role, dataDir }));
  }
  return {
    ...{ name, role, replicas },
    async close() {
      for (const { current, proxy } of replicas) {
        await current.kill();
        await proxy.close();
      }
    },
  };
}

type ReplicaGiven = Omit<Given, 'replicas'> & { role: string; dataDir: string };

async function startReplica({ name, role, dataDir, kubeconfig, postgres }: ReplicaGiven): Promise<Replica> {
  const proxy = await startProxy({ path: join(postgres.socket, '.s.PGSQL.5432') }, { host: '127.0.0.1', port: 0 });
  const profilesFile = join(dataDir, 'profiles.json');
  await writeFile(profilesFile, JSON.stringify(profiles));
  const env = {
    HOLDFAST_DATA_DIR: dataDir,
    HOLDFAST_RUNTIME: 'kubernetes',
    HOLDFAST_PROFILES_FILE: profilesFile,
    HOLDFAST_STEP_TIMEOUT_SECONDS: String(stepTimeoutSeconds),
    HOLDFAST_STEP_GRACE_SECONDS: String(stepGraceSeconds),
    HOLDFAST_SESSIONS_MAX: '10000',
    HOLDFAST_LOG_LEVEL: 'info',
    KUBECONFIG: kubeconfig,
    DATABASE_URL: `postgres://${role}@127.0.0.1:${proxy.port}/${role}`,
  };
  const start = () => startHoldfast(env, endsWithUs);
  const replica: Replica = {
    ...{ name, proxy, current: await start(), isTaken: false },
    async restart() {
      await replica.current.kill();
      // Postgres may be away at this moment, which ends a start.
      const deadline = AbortSignal.timeout(startMs);
      const late = new Promise<'late'>((resolve) => deadline.addEventListener('abort', () => resolve('late')));
      for (let started: Holdfast | 'late' | null = null; !started; ) {
        started = await Promise.race([start().catch(() => null), late]);
        if (started === 'late') throw new Error(`${name} did not start within ${startMs / 1000} s`);
        if (started) replica.current = started;
      }
    },
  };
  return replica;
}
