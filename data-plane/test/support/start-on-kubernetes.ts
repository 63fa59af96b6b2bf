import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FakeKubernetes } from '../fake-kubernetes/start-fake-kubernetes.ts';
import { profiles } from './kubernetes-runtime.ts';
import { createTestDatabase } from './postgres.ts';
import { nothingRunsIn, startHoldfast, temporaryDataDir } from './start-holdfast.ts';

/** The program with a database of its own, whose cluster is the fake. */
export async function startOnKubernetes(fake: FakeKubernetes, env: Record<string, string> = {}) {
  const database = await createTestDatabase();
  const replica = await startReplicaOnKubernetes(fake, { DATABASE_URL: database.url, ...env });
  return {
    ...replica,
    database,
    async [Symbol.asyncDispose]() {
      await replica[Symbol.asyncDispose]();
      await database.drop();
    },
  };
}

/** One replica of several: with a directory of its own on the database that `env` names. */
export async function startReplicaOnKubernetes(fake: FakeKubernetes, env: Record<string, string>) {
  const dataDir = await temporaryDataDir();
  const profilesFile = join(dataDir.path, 'profiles.json');
  await writeFile(profilesFile, JSON.stringify(profiles));
  const holdfast = await startHoldfast({
    HOLDFAST_DATA_DIR: dataDir.path,
    HOLDFAST_RUNTIME: 'kubernetes',
    HOLDFAST_PROFILES_FILE: profilesFile,
    KUBECONFIG: fake.kubeconfig,
    ...env,
  });
  return {
    ...holdfast,
    async [Symbol.asyncDispose]() {
      await holdfast.stop();
      await nothingRunsIn(dataDir.path);
      await dataDir.remove();
    },
  };
}
