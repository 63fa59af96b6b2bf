import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type WatchLine, watchLineSchema } from '@holdfast/specs/agent';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openWorkspaceFiles } from '../../src/files/workspace-files.ts';
import { type FilesClient, startWithFiles } from '../support/files-client.ts';
import { until } from '../support/until.ts';

let agent: FilesClient;
let root: string;
beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-watched-')));
  agent = await startWithFiles({ HOLDFAST_AGENT_FILE_ROOTS: JSON.stringify([root]) });
});
afterAll(async () => {
  expect(agent.log()).toBe('');
  await agent[Symbol.asyncDispose]();
  rmSync(root, { recursive: true });
}, 60_000);

let folder = 0;
/** A path in a new folder of the workspace for each test, and on the disk. */
let at: (path: string) => string;
let onDisk: (path: string) => string;
const opened: { close: () => Promise<void> }[] = [];
beforeEach(() => {
  const name = `t${++folder}`;
  at = (path) => (path === '' ? name : `${name}/${path}`);
  onDisk = (path) => join(agent.workspace, at(path));
  mkdirSync(onDisk(''));
});
afterEach(async () => {
  for (const watch of opened.splice(0)) await watch.close();
  await until('the agent to hold only its roots', () => agent.openDescriptors() === 1);
});

/** A watch that has begun, with what it has told so far. */
async function watch(path: string, recursive = false) {
  const gone = new AbortController();
  const response = await fetch(
    `${agent.url}/v1/files/events?${new URLSearchParams({ path, recursive: String(recursive) })}`,
    {
      headers: { authorization: `Bearer ${agent.token}` },
      signal: gone.signal,
    },
  );
  if (!response.ok || !response.body)
    return { status: response.status, told: [], code: ((await response.json()) as { code: string }).code };
  const told: WatchLine[] = [];
  let rest = '';
  const reading = (async () => {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      const lines = (rest + Buffer.from(chunk).toString()).split('\n');
      rest = lines.pop() ?? '';
      told.push(...lines.map((line) => watchLineSchema.parse(JSON.parse(line))));
    }
  })().catch(() => {});
  opened.push({
    async close() {
      gone.abort();
      await reading;
    },
  });
  await until('the watch to be ready', () => told[0]?.type === 'ready');
  return { status: 200, told, code: null, ended: reading };
}

const shown = (told: WatchLine[]) => told.map((line) => ('path' in line ? `${line.type} ${line.path}` : line.type));
const untilTold = (told: WatchLine[], event: string) =>
  until(`${event} to be told, after ${shown(told).slice(-5)}`, () => shown(told).includes(event), 20_000);

test('tells what is created, modified and deleted in a directory, and nothing of the directories below', async () => {
  mkdirSync(onDisk('below'));
  writeFileSync(onDisk('old'), '');
  const { told } = await watch(at(''));
  writeFileSync(onDisk('below/x'), '');
  writeFileSync(onDisk('new'), 'x');
  await untilTold(told, `created ${at('new')}`);
  writeFileSync(onDisk('old'), 'changed');
  await untilTold(told, `modified ${at('old')}`);
  renameSync(onDisk('old'), onDisk('moved'));
  await untilTold(told, `deleted ${at('old')}`);
  await untilTold(told, `created ${at('moved')}`);
  rmSync(onDisk('moved'));
  await untilTold(told, `deleted ${at('moved')}`);
  expect(shown(told).join()).not.toContain(at('below/x'));
});

test('tells of directories that come later with everything that was in them by then', async () => {
  mkdirSync(onDisk('a/b'), { recursive: true });
  const { told } = await watch(at(''), true);
  writeFileSync(onDisk('a/b/x'), '');
  await untilTold(told, `created ${at('a/b/x')}`);
  mkdirSync(onDisk('c/d/e'), { recursive: true });
  writeFileSync(onDisk('c/d/e/early'), '');
  await untilTold(told, `created ${at('c/d/e/early')}`);
  writeFileSync(onDisk('c/d/e/late'), '');
  await untilTold(told, `created ${at('c/d/e/late')}`);
  renameSync(onDisk('c'), onDisk('f'));
  await untilTold(told, `created ${at('f/d/e/late')}`);
  writeFileSync(onDisk('f/d/e/later'), '');
  await untilTold(told, `created ${at('f/d/e/later')}`);
  rmSync(onDisk('f'), { recursive: true });
  await untilTold(told, `deleted ${at('f')}`);
});

test('a watched file is followed when another takes its place', async () => {
  writeFileSync(onDisk('x'), '1');
  const { told } = await watch(at('x'));
  writeFileSync(onDisk('other'), '');
  writeFileSync(onDisk('.x.swp'), '2');
  renameSync(onDisk('.x.swp'), onDisk('x'));
  await untilTold(told, `created ${at('x')}`);
  writeFileSync(onDisk('x'), '3');
  await untilTold(told, `modified ${at('x')}`);
  rmSync(onDisk('x'));
  await untilTold(told, `deleted ${at('x')}`);
  expect(new Set(told.flatMap((line) => ('path' in line ? [line.path] : [])))).toEqual(new Set([at('x')]));
});

test('ends when the watched directory is deleted or moved away', async () => {
  for (const end of [() => rmSync(onDisk('d'), { recursive: true }), () => renameSync(onDisk('d'), onDisk('e'))]) {
    mkdirSync(onDisk('d'));
    const { told, ended } = await watch(at('d'));
    end();
    await ended;
    expect(told.at(-1)).toEqual({ type: 'ended', reason: 'deleted' });
  }
});

test('watches a root outside the workspace, and follows no link out of it', async () => {
  mkdirSync(join(root, 'd'));
  symlinkSync('/etc', join(root, 'd/etc'));
  const { told } = await watch(root, true);
  writeFileSync(join(root, 'd/x'), '');
  await untilTold(told, `created ${root}/d/x`);
  expect(await watch(join(root, 'd/etc'))).toMatchObject({ status: 403, code: 'outside-workspace' });
  for (const path of ['/etc', '/proc', '/dev']) expect((await watch(path)).code).toBe('outside-workspace');
  expect((await watch('missing')).code).toBe('not-found');
});

test('shows neither uploads that are incomplete nor names that are not UTF-8', async () => {
  const { told } = await watch(at(''));
  await agent.write(at('uploaded'), 'x');
  await untilTold(told, `created ${at('uploaded')}`);
  writeFileSync(Buffer.concat([Buffer.from(onDisk('')), Buffer.from('/\xff', 'latin1')]), '');
  await untilTold(told, `modified ${at('')}`);
  expect(shown(told).join()).not.toContain('.holdfast-upload-');
});

test('each of 10,000 changes is told, or the reader learns that it has to list the files', async () => {
  const { told } = await watch(at(''), true);
  for (let file = 0; file < 10_000; file++) writeFileSync(onDisk(`f${file}`), 'x');
  // A later change comes last, so everything before it was told or lost.
  await until(
    'the last change to be told or lost',
    () => {
      utimesSync(onDisk('f0'), new Date(), new Date());
      const events = shown(told);
      const lost = events.lastIndexOf('overflow');
      return lost >= 0 || new Set(events).size >= 10_001;
    },
    60_000,
  );
  const { items, truncated } = (await agent.ask('GET', 'files/list', { path: at('') })).json();
  expect([items.length, truncated]).toEqual([10_000, false]);
  writeFileSync(onDisk('after'), '');
  await untilTold(told, `created ${at('after')}`);
}, 90_000);

test('a reader that takes nothing has changes of a bounded number waiting, and then learns that some were lost', async () => {
  const { workspace, watches } = openWorkspaceFiles({ workspace: onDisk(''), fileBytesMax: 1, archiveBytesMax: 1 });
  const watched = await watches.open({ path: '', recursive: false });
  const batches = watched.batches();
  const next = async () => shown((await batches.next()).value);
  expect(await next()).toEqual(['ready']);
  const write = async (files: number) => {
    for (let file = 0; file < files; file++) writeFileSync(onDisk(`f${file}`), '');
    await setImmediate();
  };
  await write(100);
  const first = await next();
  expect(first).toHaveLength(100);
  await write(5000);
  let told = await next();
  for (let left = 5000 / 128; !told.includes('overflow') && left > 0; left--) told = await next();
  expect(told).toEqual(['overflow']);
  writeFileSync(onDisk('after'), '');
  expect(await next()).toEqual(['created after']);
  watched.close();
  expect((await batches.next()).done).toBe(true);
  workspace.close();
}, 60_000);

test('the agent goes on answering while code changes files as fast as it can', async () => {
  mkdirSync(onDisk('d'));
  const { told } = await watch(at(''), true);
  const code = `import os,sys
while True:
    for n in range(500):
        p = sys.argv[1] + '/' + str(n); open(p, 'w').close(); os.rename(p, p + 'x'); os.unlink(p + 'x')`;
  const storms: ChildProcess[] = [0, 1].map((storm) => {
    mkdirSync(onDisk(`d/${storm}`));
    return spawn('python3', ['-I', '-S', '-c', code, onDisk(`d/${storm}`)], { stdio: 'inherit' });
  });
  try {
    for (let request = 0; request < 20; request++) {
      expect((await agent.ask('GET', 'files/stat', { path: at('d') })).status).toBe(200);
    }
    await until('something to be told', () => told.length > 10, 20_000);
  } finally {
    for (const storm of storms) {
      storm.kill('SIGKILL');
      await once(storm, 'exit');
    }
  }
  writeFileSync(onDisk('calm'), '');
  await until(
    'the calm to be told or lost',
    () => shown(told).some((event) => event === 'overflow' || event === `created ${at('calm')}`),
    20_000,
  );
}, 60_000);

test('a session has a bounded number of watches, and a reader that leaves frees one', async () => {
  const watches = await Promise.all(Array.from({ length: 16 }, () => watch(at(''))));
  expect(watches.every(({ status }) => status === 200)).toBe(true);
  expect(await watch(at(''))).toMatchObject({ status: 429, code: 'quota-exceeded' });
  await opened.shift()?.close();
  await until('a watch to be free', async () => (await watch(at(''))).status === 200);
});

test('refuses to watch more directories than a sandbox may, and watches none of them then', async () => {
  execFileSync('python3', [
    '-I',
    '-S',
    '-c',
    'import os,sys\nfor n in range(10_001): os.mkdir(f"{sys.argv[1]}/{n}")',
    onDisk(''),
  ]);
  expect(await watch(at(''), true)).toMatchObject({ status: 429, code: 'quota-exceeded' });
  expect((await watch(at('1'))).status).toBe(200);
  expect(readdirSync(onDisk('')).length).toBe(10_001);
}, 60_000);
