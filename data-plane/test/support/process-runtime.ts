import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '@holdfast/specs/public';
import { afterEach, beforeEach } from 'vitest';
import { createProcessRuntime } from '../../src/runtimes/process/create-process-runtime.ts';
import { type RunningProcess, runningProcesses, variable } from '../../src/runtimes/process/running-processes.ts';
import type { Runtime, Sandbox } from '../../src/runtimes/runtime.ts';

export const fixture = (name: string) => join(import.meta.dirname, 'fixtures', name);

/** A data directory and a sandbox's name for each test of a file; whatever was launched there ends with the test. */
export function dataDirPerTest(): { readonly dataDir: string; readonly name: string } {
  const current = { dataDir: '', name: '' };
  beforeEach(async () => {
    current.dataDir = await mkdtemp(join(tmpdir(), 'holdfast-runtime-'));
    current.name = `${newId('ses')}-1`;
  });
  afterEach(() => removeDataDir(current.dataDir));
  return current;
}

export async function removeDataDir(dataDir: string): Promise<void> {
  const runtime = processRuntime(dataDir);
  await Promise.all((await runtime.list()).map((sandbox) => runtime.destroy(sandbox)));
  await rm(dataDir, { recursive: true });
}

/** A process runtime whose agents are the fixture's. */
export function processRuntime(dataDir: string, agentEnv: Record<string, string> = {}): Runtime {
  return createProcessRuntime(processRuntimeOptions(dataDir, agentEnv));
}

export function processRuntimeOptions(dataDir: string, agentEnv: Record<string, string> = {}) {
  const env = { FIXTURE_FAULT: '', ...agentEnv };
  return {
    dataDir,
    deployment: 'test',
    database: 'db-1',
    agentEnv: env,
    node: process.execPath,
    agentMain: fixture('agent.ts'),
    languages: ['python', 'node'] as const,
  };
}

export function launch(runtime: Runtime, name: string, signal = AbortSignal.timeout(20_000)): Promise<Sandbox> {
  return runtime.launch({ name, profile: 'default', network: 'internet' }, signal);
}

/** The processes that carry the mark of an incarnation, the agent first. */
export async function marked(uid: string): Promise<RunningProcess[]> {
  const processes = (await runningProcesses()).filter((process) => variable(process, 'HOLDFAST_SANDBOX_UID') === uid);
  return processes.toSorted((a, b) => a.startTicks - b.startTicks || a.pid - b.pid);
}

/** The agent of an incarnation, which must run. */
export async function agentOf(uid: string): Promise<RunningProcess> {
  const [agent] = await marked(uid);
  if (!agent) throw new Error(`no agent of ${uid} runs`);
  return agent;
}
