import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createInstallation, type Installation } from '../../../data-plane/test/support/installation.ts';

const run = promisify(execFile);

/** The program with this name, from its variable or the path. */
function programOf(name: string, variable: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return process.env[variable] ?? folders.map((folder) => join(folder, name)).find(existsSync);
}

const runtimes = [
  ['Node', process.execPath, []],
  ['Bun', programOf('bun', 'HOLDFAST_BUN'), ['run']],
  ['Deno', programOf('deno', 'HOLDFAST_DENO'), ['run', '--allow-net', '--allow-env']],
] as const;

const apiKey = 'hf_a_key_of_the_program_0000000';

/** Everything is closed at its end, so it ends by itself. */
const program = `
import { Holdfast } from './sdk.js';
const seen = {};
const holdfast = new Holdfast();
{
  await using session = await holdfast.sessions.create();
  seen.text = (await session.run('6 * 7')).text;
  seen.types = [];
  for await (const event of session.stream('print(1)')) seen.types.push(event.type);
  const source = new Blob(['a'.repeat(300000)]).stream();
  await session.files.write('large.txt', source);
  seen.size = (await session.files.readText('large.txt')).length;
  seen.refusal = await session.files.readText('missing.txt').catch(({ code }) => code);
  {
    await using terminal = await session.terminal({ command: ['bash', '--norc'], columns: 61, rows: 17 });
    await terminal.write('stty size; exit 5\\n');
    seen.screen = '';
    for await (const { bytes } of terminal) seen.screen += new TextDecoder().decode(bytes);
    seen.exitCode = terminal.process.record.exitCode;
  }
  await using left = await session.terminal({ command: ['bash', '--norc'] });
  await left[Symbol.asyncIterator]().next();
  const { data } = await holdfast.api.POST('/v1/sessions/{sessionId}/shares', {
    params: { path: { sessionId: session.id } },
    body: { access: 'run', expiresSeconds: 600 },
  });
  const guest = await new Holdfast({ apiKey: data.token }).sessions.get(session.id);
  const process = await guest.processes.start(['cat'], { stdin: true });
  const channel = process.channel();
  await channel.write('by a link');
  await channel.end();
  seen.linked = '';
  for await (const { bytes } of channel) seen.linked += new TextDecoder().decode(bytes);
  await session.processes.start('sleep 300');
  const stop = new AbortController();
  using answers = session.onOperation('host.ask', () => 1);
  const events = session.stream('import time\\nprint(1, flush=True)\\ntime.sleep(60)', { signal: stop.signal });
  await events.next();
  stop.abort(new Error('enough'));
  seen.aborted = await events.next().catch(({ message }) => message);
}
console.log(JSON.stringify(seen));
`;

let installation: Installation;
let folder: string;
let url: string;

beforeAll(async () => {
  installation = await createInstallation();
  ({ url } = await installation.start({ HOLDFAST_BOOTSTRAP_API_KEY: apiKey }));
  folder = await mkdtemp(join(tmpdir(), 'holdfast-runtimes-'));
  const entryPoints = [join(import.meta.dirname, '../src/index.ts')];
  await build({ entryPoints, bundle: true, format: 'esm', platform: 'neutral', outfile: join(folder, 'sdk.js') });
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  await writeFile(join(folder, 'program.js'), program);
});
afterAll(async () => {
  await installation[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

describe.each(runtimes)('under %s', (_, path, options) => {
  test.skipIf(!path)(
    'a program runs code, streams, moves files, has terminals, and ends by itself',
    {
      timeout: 120_000,
    },
    async () => {
      const { stdout } = await run(path ?? '', [...options, 'program.js'], {
        cwd: folder,
        timeout: 100_000,
        env: { ...process.env, HOLDFAST_URL: url, HOLDFAST_API_KEY: apiKey, NO_COLOR: '1' },
      });
      expect(JSON.parse(stdout)).toEqual({
        text: '42',
        types: ['started', 'stdout', 'finished'],
        size: 300_000,
        refusal: 'not-found',
        screen: expect.stringContaining('17 61'),
        exitCode: 5,
        linked: 'by a link',
        aborted: 'enough',
      });
    },
  );
});
