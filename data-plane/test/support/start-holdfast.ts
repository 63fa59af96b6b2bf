import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readlinkSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { RunStep, Session, Step, StepEvent } from '@holdfast/specs/public';
import { compileCache, programPath } from '../../../runtime-images/test/support/program-path.ts';
import { eventually } from './eventually.ts';

const main = programPath('data-plane/src/main.ts');
/** As in `npm start` and in the image. */
const nodeOptions = ['--disable-sigusr1', '--max-semi-space-size=8', '--heap-growing-percent=200'];

export type Holdfast = Awaited<ReturnType<typeof startHoldfast>>;

/** A data directory of its own. */
export async function temporaryDataDir(under = tmpdir()) {
  const path = await mkdtemp(join(under, 'holdfast-e2e-'));
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/**
 * Starts the program as a user would, on a free port, and waits until it serves.
 * @param env adds to a development configuration; `HOLDFAST_DATA_DIR` is required
 * @param through a command that executes the program, such as a shell that first opens a file
 * @param program another program that serves and says so in the same way
 */
export async function startHoldfast(env: Record<string, string>, through: readonly string[] = [], program = main) {
  const [file = '', ...args] = [...through, process.execPath, ...nodeOptions, program];
  const child = spawn(file, args, {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      HOLDFAST_ENV: 'development',
      HOLDFAST_PORT: '0',
      HOLDFAST_PYTHON_EXTRAS: 'none',
      ...compileCache(),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  createInterface(child.stderr).on('line', (line) => output.push(line));
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`holdfast exited with ${code}:\n${output.join('\n')}`)));
    createInterface(child.stdout).on('line', (line) => {
      output.push(line);
      const ready = /ready on (http:\S+)/.exec(line);
      if (ready?.[1]) resolve(ready[1]);
    });
  });
  return {
    url,
    pid: child.pid as number,
    output,
    child,
    ...client(url),
    kill: () => end(child, 'SIGKILL'),
    stop: () => end(child, 'SIGTERM'),
  };
}

async function end(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }
  return child.exitCode;
}

/** The public API as a client uses it. */
export function client(url: string, headers: Record<string, string> = {}) {
  const request = async (method: string, path: string, body?: unknown, more: Record<string, string> = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers, ...more },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : null };
  };
  const expectStatus = async (expected: number, answer: Awaited<ReturnType<typeof request>>) => {
    if (answer.status !== expected)
      throw new Error(`${answer.status}, not ${expected}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  return {
    request,
    createSession: async (body: object = {}): Promise<Session> =>
      await expectStatus(201, await request('POST', '/v1/sessions', body)),
    runStep: async (sessionId: string, body: Partial<RunStep>, more?: Record<string, string>): Promise<Step> =>
      await expectStatus(200, await request('POST', `/v1/sessions/${sessionId}/steps`, body, more)),
    /** Resolves once nothing of the session runs. Until that is certain, the answer is 202, which a busy machine may give. */
    deleteSession: async (sessionId: string): Promise<void> =>
      await eventually(async () => {
        await expectStatus(204, await request('DELETE', `/v1/sessions/${sessionId}`));
      }, 60_000),
    /** Events as they arrive. */
    async *streamStep(sessionId: string, body: Partial<RunStep>): AsyncGenerator<StepEvent> {
      const response = await fetch(`${url}/v1/sessions/${sessionId}/steps`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/x-ndjson', ...headers },
        body: JSON.stringify(body),
      });
      if (!response.ok || !response.body) throw new Error(`${response.status}: ${await response.text()}`);
      yield* ndjson(response.body);
    },
    async *followStep(sessionId: string, stepId: string, after = 0): AsyncGenerator<StepEvent> {
      const response = await fetch(`${url}/v1/sessions/${sessionId}/steps/${stepId}/events?after=${after}`, {
        headers: { accept: 'application/x-ndjson', ...headers },
      });
      if (!response.ok || !response.body) throw new Error(`${response.status}: ${await response.text()}`);
      yield* ndjson(response.body);
    },
    async history(sessionId: string): Promise<Step[]> {
      const steps: Step[] = [];
      for (let cursor = ''; ; ) {
        const page = await expectStatus(
          200,
          await request('GET', `/v1/sessions/${sessionId}/steps?limit=200${cursor}`),
        );
        steps.push(...page.items);
        if (!page.nextCursor) return steps;
        cursor = `&cursor=${page.nextCursor}`;
      }
    },
  };
}

async function* ndjson(body: ReadableStream<Uint8Array>): AsyncGenerator<StepEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line) yield JSON.parse(line);
  }
}

/** Waits until no process works in the directory or names it in its environment or arguments. */
export async function nothingRunsIn(directory: string): Promise<void> {
  await eventually(async () => {
    const left = (await readdir('/proc')).filter(
      (pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid && isOf(directory, pid),
    );
    if (left.length > 0) throw new Error(`processes are left: ${left.join(', ')}`);
  });
}

function isOf(directory: string, pid: string): boolean {
  const reads = [
    () => readlinkSync(`/proc/${pid}/cwd`),
    () => readFileSync(`/proc/${pid}/environ`, 'latin1'),
    () => readFileSync(`/proc/${pid}/cmdline`, 'latin1'),
  ];
  return reads.some((read) => {
    try {
      return read().includes(directory);
    } catch {
      return false;
    }
  });
}
