import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProcessRuntime } from '../../src/runtimes/process/create-process-runtime.ts';
import { agentOf, marked, processRuntime, processRuntimeOptions, removeDataDir } from '../support/process-runtime.ts';
import { runtimeConformance } from '../support/runtime-conformance.ts';

runtimeConformance('process', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'holdfast-runtime-'));
  const runtime = processRuntime(dataDir);
  return {
    runtime,
    ofAnotherDatabase: async () => createProcessRuntime({ ...processRuntimeOptions(dataDir), database: 'db-2' }),
    crash: async ({ uid }) => {
      process.kill((await agentOf(uid)).pid, 'SIGKILL');
    },
    remains: async (uid) => {
      const pids = (await marked(uid)).map(({ pid }) => String(pid));
      const texts = await Promise.all((await records(dataDir)).map((path) => readFile(path, 'utf8')));
      return [...pids, ...texts.filter((text) => text.includes(uid))];
    },
    dispose: () => removeDataDir(dataDir),
  };
});

async function records(dataDir: string): Promise<string[]> {
  const sandboxesDir = join(dataDir, 'sandboxes');
  const paths = await readdir(sandboxesDir, { recursive: true });
  return paths.filter((path) => path.endsWith('sandbox.json')).map((path) => join(sandboxesDir, path));
}
