import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { newId } from '@holdfast/specs/public';
import { compileCache, programPath } from '../../../runtime-images/test/support/program-path.ts';
import { type AgentClient, agentClient } from './agent-client.ts';
import { claimsFor, createSigningKey, mintToken, type SigningKey } from './mint-token.ts';
import { pathWithBun } from './path-with-bun.ts';
import { processesOf } from './processes-of.ts';
import { until } from './until.ts';

const program = programPath('session-agent/src/main.ts');

export type AgentUnderTest = AgentClient & {
  pid: number;
  url: string;
  uid: string;
  sessionId: string;
  workspace: string;
  /** A token that is valid for five minutes. */
  token: string;
  /** The current and the next signing key, whose public halves the agent knows. */
  keys: [SigningKey, SigningKey];
  /** The agent's whole stderr. */
  log: () => string;
  exited: Promise<{ code: number | null; signal: string | null }>;
  signal: (signal: NodeJS.Signals) => void;
  /** Ends the agent, and fails if a process of its sandbox is left. */
  [Symbol.asyncDispose]: () => Promise<void>;
};

/** Starts a real agent in its own process, like a runtime; adds `env` to its environment. `main` is another program than the agent's. */
export async function startAgent(env: Record<string, string> = {}, main = program): Promise<AgentUnderTest> {
  const sandbox = { uid: newId('uid'), sessionId: newId('ses') };
  const keys: [SigningKey, SigningKey] = [createSigningKey('current'), createSigningKey('next')];
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-agent-')));
  const settings = {
    HOLDFAST_SANDBOX_UID: sandbox.uid,
    HOLDFAST_AGENT_ISSUER: 'holdfast-test',
    HOLDFAST_AGENT_TOKEN_KEYS: JSON.stringify({ keys: keys.map(({ jwk }) => jwk) }),
    HOLDFAST_WORKSPACE: workspace,
  };
  const child = spawnAgent({ ...settings, ...env }, main);
  let log = '';
  child.stderr?.on('data', (chunk) => {
    log += chunk;
  });
  const exited = once(child, 'exit').then(([code, signal]) => ({ code, signal }));
  const port = await reportedPort(child, () => log);
  const url = `http://127.0.0.1:${port}`;
  const token = mintToken(keys[0], claimsFor(sandbox));
  const current = renewed(token, () => mintToken(keys[0], claimsFor(sandbox)));

  return {
    ...agentClient(url, current),
    ...sandbox,
    token,
    pid: child.pid ?? 0,
    url,
    workspace,
    keys,
    log: () => log,
    exited,
    signal: (signal) => child.kill(signal),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await exited;
      await until('all processes of the sandbox to be gone', () => processesOf(sandbox.uid).length === 0, 3000);
      rmSync(workspace, { recursive: true, force: true });
    },
  };
}

/** A token that is valid for five minutes, and renewed in time. */
function renewed(first: string, mint: () => string): () => string {
  let token = first;
  let mintedAt = Date.now();
  return () => {
    if (Date.now() - mintedAt > 120_000) {
      token = mint();
      mintedAt = Date.now();
    }
    return token;
  };
}

/** Spawns the process of an agent, with its ready pipe at fd 3. */
export function spawnAgent(env: Record<string, string>, main = program): ChildProcess {
  return spawn(
    process.execPath,
    [
      '--disable-sigusr1',
      '--single-threaded',
      '--max-semi-space-size=1',
      '--expose-gc',
      '--no-incremental-marking',
      main,
    ],
    {
      env: { PATH: pathWithBun, HOME: process.env.HOME, HOLDFAST_AGENT_READY_FD: '3', ...compileCache(), ...env },
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    },
  );
}

async function reportedPort(child: ChildProcess, log: () => string): Promise<number> {
  let line = '';
  for await (const chunk of child.stdio[3] as Readable) line += chunk;
  if (!line) throw new Error(`the agent did not start: ${log()}`);
  return JSON.parse(line).port;
}
