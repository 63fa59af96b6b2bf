import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createInstallation, type Installation } from '../../../data-plane/test/support/installation.ts';
import { Holdfast, HoldfastError } from '../src/index.ts';
import { type Action, perform } from './perform.ts';

type Scenario = { title: string; session?: object; actions: Action[] };

const tables = ['../../../specs/scenarios.json', 'further-scenarios.json'];
const scenarios: Scenario[] = [];
for (const table of tables) {
  const text = await readFile(new URL(table, import.meta.url), 'utf8');
  scenarios.push(...(JSON.parse(text) as { scenarios: Scenario[] }).scenarios);
}

let installation: Installation;
let server: Awaited<ReturnType<Installation['start']>>;
let port: string;

beforeAll(async () => {
  installation = await createInstallation();
  port = String(await freePort());
  server = await installation.start({ HOLDFAST_PORT: port });
});

afterAll(() => installation[Symbol.asyncDispose]());

/** Kills the server and starts it again at the same address. */
async function restart(): Promise<void> {
  await server.kill();
  server = await installation.start({ HOLDFAST_PORT: port });
}

test.each(scenarios)('$title', { timeout: 120_000 }, async ({ session: options, actions }) => {
  const holdfast = new Holdfast({ url: server.url });
  await using session = await holdfast.sessions.create(options);
  for (const action of actions) {
    let restarted: Promise<void> | undefined;
    const onOutput = (pieces: number) => {
      if (action.restart?.after === pieces) restarted ??= restart();
    };
    // A call that shows nothing before its end is cut off while it runs.
    if (action.restart?.after === 0) restarted = delay(1000).then(restart);
    const result = await perform(session, action, onOutput).catch((error) => error);
    await restarted;
    expect(restarted !== undefined).toBe(action.restart !== undefined);
    if (action.refusal) {
      expect(result).toBeInstanceOf(HoldfastError);
      expect(result).toMatchObject(action.refusal);
    } else {
      expect(result).not.toBeInstanceOf(Error);
      if (action.expect === null) expect(result).toBeNull();
      else expect(result ?? {}).toMatchObject(action.expect ?? {});
    }
  }
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
