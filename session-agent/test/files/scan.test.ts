import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Change } from '@holdfast/specs/agent';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openWorkspace, type Workspace } from '../../src/files/paths/open-workspace.ts';
import { scanByFind } from '../../src/files/scan/scan-by-find.ts';
import { scanInProcess } from '../../src/files/scan/scan-in-process.ts';
import { scanWorkspace } from '../../src/files/scan/scan-workspace.ts';
import { WorkspaceWatch } from '../../src/files/scan/workspace-watch.ts';
import { until } from '../support/until.ts';

let folder: string;
let workspace: Workspace;
let watch: WorkspaceWatch;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-scan-')));
  workspace = openWorkspace(folder);
  watch = new WorkspaceWatch({ workspace });
});
afterEach(() => {
  workspace.close();
  rmSync(folder, { recursive: true, force: true });
});

const at = (path: string) => join(folder, path);
const short = ({ path, change, size, concurrent, omission }: Change) =>
  [change, path, size, ...(concurrent ? ['concurrent'] : []), ...(omission ? [omission] : [])].join(' ');

const ended = async (stepId: string) => (await watch.stepEnded(stepId)).changes.map(short);

async function step(work: () => void, stepId = 'step'): Promise<string[]> {
  await watch.stepStarted(stepId);
  work();
  return await ended(stepId);
}

/** Enough files that they are scanned by another process. */
function fill(files: number): void {
  for (let file = 0; file < files; file++) {
    if (file % 500 === 0) mkdirSync(at(`filled-${file}`));
    writeFileSync(at(`filled-${file - (file % 500)}/file-${file}`), '');
  }
}

test.for([0, 2000])('reports the changes of a step in a workspace with %i more files', async (more) => {
  fill(more);
  for (const path of ['same', 'written', 'touched', 'gone', 'from']) writeFileSync(at(path), path);
  expect(await step(() => {})).toEqual([]);
  const changes = await step(() => {
    mkdirSync(at('d/e'), { recursive: true });
    writeFileSync(at('d/e/plot.png'), 'png');
    appendFileSync(at('written'), '!');
    utimesSync(at('touched'), 1, 1);
    unlinkSync(at('gone'));
    renameSync(at('from'), at('to'));
    writeFileSync(at('short-lived'), 'x');
    unlinkSync(at('short-lived'));
    writeFileSync(at('.holdfast-upload-x'), 'x');
  });
  expect(changes).toEqual([
    'created d/e/plot.png 3',
    'deleted from 0',
    'deleted gone 0',
    'created to 4',
    'modified touched 7',
    'modified written 8',
  ]);
  expect(await step(() => {})).toEqual([]);
});

/** The directories that a step created, with `+`, or deleted, with `-`. */
async function directoriesOf(work: () => void): Promise<string[]> {
  await watch.stepStarted('step');
  work();
  const { directories } = await watch.stepEnded('step');
  return directories.map(({ path, change }) => `${change === 'created' ? '+' : '-'}${path}`);
}

test.for([0, 2000])('reports the directories that a step made and removed beside %i more files', async (more) => {
  fill(more);
  mkdirSync(at('gone/below'), { recursive: true });
  mkdirSync(at('kept'));
  expect(await step(() => {})).toEqual([]);
  const made = await directoriesOf(() => {
    mkdirSync(at('d/e'), { recursive: true });
    writeFileSync(at('kept/file'), 'x');
    rmSync(at('gone'), { recursive: true });
    mkdirSync(at('short-lived'));
    rmSync(at('short-lived'), { recursive: true });
    mkdirSync(at('.holdfast-upload-x/below'), { recursive: true });
    symlinkSync('kept', at('link'));
  });
  expect(made).toEqual(['+d', '+d/e', '-gone', '-gone/below']);
  expect(await directoriesOf(() => renameSync(at('d'), at('f')))).toEqual(['-d', '-d/e', '+f', '+f/e']);
  expect(await directoriesOf(() => utimesSync(at('f'), 1, 1))).toEqual([]);
});

test('a step that undoes what another one reported meanwhile reports the directories as they are', async () => {
  mkdirSync(at('removed'));
  await watch.stepStarted('long');
  await watch.stepStarted('short');
  mkdirSync(at('made'));
  rmSync(at('removed'), { recursive: true });
  expect((await watch.stepEnded('short')).directories).toEqual([
    { path: 'made', change: 'created' },
    { path: 'removed', change: 'deleted' },
  ]);
  rmSync(at('made'), { recursive: true });
  mkdirSync(at('removed'));
  expect((await watch.stepEnded('long')).directories).toEqual([
    { path: 'made', change: 'deleted' },
    { path: 'removed', change: 'created' },
  ]);
});

test.for([0, 2000])('reports a file that becomes executable beside %i more files', async (more) => {
  fill(more);
  writeFileSync(at('run.sh'), '');
  const modes = async (mode: number) => {
    await watch.stepStarted('step');
    chmodSync(at('run.sh'), mode);
    return (await watch.stepEnded('step')).changes.map(({ path, executable }) => [path, executable]);
  };
  await step(() => {});
  expect(await modes(0o744)).toEqual([['run.sh', true]]);
  expect(await modes(0o611)).toEqual([['run.sh', false]]);
});

test('finds the same entries in both ways of scanning', async () => {
  fill(20);
  mkdirSync(at('empty/nested'), { recursive: true });
  mkdirSync(Buffer.concat([Buffer.from(`${folder}/d`), Buffer.from([0xff])]));
  writeFileSync(at('modes'), 'x');
  chmodSync(at('modes'), 0o4751);
  symlinkSync('/etc', at('link'));
  symlinkSync('nowhere', at('dangling'));
  execFileSync('mkfifo', [at('fifo')]);
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0xfe])]), 'x');
  writeFileSync(at('a b\nc'), 'x');
  writeFileSync(at('.holdfast-upload-x'), 'x');
  const records = (scan: { records: Buffer } | null) => scan?.records.toString('latin1').split('\0').toSorted();
  expect(records(scanInProcess(workspace, 1000))).toEqual(records(await scanByFind(workspace, 1000)));
});

test('lists links, FIFOs and names that are not UTF-8 as omissions, and follows no link', async () => {
  const outside = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-outside-')));
  writeFileSync(join(outside, 'x'), 'x');
  const changes = await step(() => {
    symlinkSync(outside, at('link'));
    execFileSync('mkfifo', [at('fifo')]);
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/n`), Buffer.from([0xff])]), 'x');
  });
  expect(changes).toEqual(['created fifo 0 not-a-file', 'created link 0 not-a-file', 'created n\ufffd 1 invalid-name']);
  rmSync(outside, { recursive: true });
});

test('reports a change for each of the steps that overlap, as concurrent', async () => {
  await watch.stepStarted('one');
  writeFileSync(at('a'), 'a');
  await watch.stepStarted('two');
  writeFileSync(at('b'), 'b');
  expect(await ended('one')).toEqual(['created a 1 concurrent', 'created b 1 concurrent']);
  writeFileSync(at('c'), 'c');
  expect(await ended('two')).toEqual(['created a 1 concurrent', 'created b 1 concurrent', 'created c 1']);
  expect(await step(() => writeFileSync(at('d'), 'd'))).toEqual(['created d 1']);
});

test('attributes changes of the host between steps to no step, and during a step as concurrent', async () => {
  await step(() => {});
  writeFileSync(at('uploaded'), 'x');
  watch.changedByHost();
  expect(await step(() => writeFileSync(at('mine'), 'x'))).toEqual(['created mine 1']);
  await watch.stepStarted('step');
  writeFileSync(at('uploaded'), 'xy');
  watch.changedByHost();
  expect(await ended('step')).toEqual(['modified uploaded 2 concurrent']);
});

test('reports a file each time it comes and goes, also in an empty workspace', async () => {
  for (let round = 0; round < 200; round++) {
    expect(await step(() => writeFileSync(at('x'), ''))).toEqual(['created x 0']);
    expect(await step(() => unlinkSync(at('x')))).toEqual(['deleted x 0']);
    if (round % 20 === 0) await wait(15);
  }
});

test('relies on the time of an empty workspace only once the clock for files has advanced', async () => {
  await until('a scan before the clock for files advances', () => {
    writeFileSync(at('x'), '');
    unlinkSync(at('x'));
    const scan = scanInProcess(workspace, 1000);
    const ageMs = Date.now() - statSync(folder).ctimeMs;
    if (ageMs >= 10) return false;
    expect(scan?.emptySince).toBeUndefined();
    return true;
  });
  await until('the clock for files to advance', () => scanInProcess(workspace, 1000)?.emptySince !== undefined);
});

test('shares a scan between steps that end together, and leaves no trace of a dropped step', async () => {
  await watch.stepStarted('one');
  await watch.stepStarted('two');
  await watch.stepStarted('dropped');
  watch.stepDropped('dropped');
  writeFileSync(at('a'), 'a');
  const both = await Promise.all([ended('one'), ended('two')]);
  expect(both).toEqual([['created a 1 concurrent'], ['created a 1 concurrent']]);
  await watch.stepStarted('dropped');
  watch.stepDropped('dropped');
  expect(await step(() => writeFileSync(at('b'), 'b'))).toEqual(['created b 1']);
});

test('reports an omission if the workspace cannot be scanned, and changes after the next successful scan', async () => {
  const nowhere = { ...workspace, descriptor: 1_000_000 };
  watch = new WorkspaceWatch({ workspace: nowhere });
  expect(await step(() => {})).toEqual(['modified  0 unreadable']);
  nowhere.descriptor = workspace.descriptor;
  expect(await step(() => {})).toEqual(['modified  0 unreadable']);
  expect(await step(() => writeFileSync(at('a'), 'a'))).toEqual(['created a 1']);
});

test('cuts a list with too many changes, and says so', async () => {
  await watch.stepStarted('step');
  fill(12_000);
  const { changes, directories } = await watch.stepEnded('step');
  expect([changes.length + directories.length, changes.at(-1)?.omission]).toEqual([10_001, 'too-many']);
}, 60_000);

test('stops a scan by find at its limit, with whole records', async () => {
  fill(50);
  const { records, count, isCut } = await scanByFind(workspace, 10);
  expect([count, isCut, records.filter((byte) => byte === 0).length]).toEqual([10, true, 10]);
  expect((await scanByFind(workspace, 51)).isCut).toBe(false);
});

test('reuses the scan of an empty workspace until something is created in it', async () => {
  let empty = await scanWorkspace(workspace, null);
  await until('the clock for files to advance', async () => {
    empty = await scanWorkspace(workspace, null);
    return empty.emptySince !== undefined;
  });
  expect(await scanWorkspace(workspace, empty)).toBe(empty);
  writeFileSync(at('x'), '');
  expect(await scanWorkspace(workspace, empty)).toMatchObject({ count: 1 });
});

test('spends little more than the time of find on two changed files among 50,000', async () => {
  fill(50_000);
  writeFileSync(at('data.csv'), '1');
  await step(() => {});
  const changes = await step(() => {
    writeFileSync(at('plot.png'), 'png');
    writeFileSync(at('data.csv'), '12');
  });
  expect(changes).toEqual(['modified data.csv 2', 'created plot.png 3']);
  const best = { step: Number.POSITIVE_INFINITY, find: Number.POSITIVE_INFINITY };
  for (let round = 0; round < 5; round++) {
    await watch.stepStarted('step');
    best.step = Math.min(best.step, await msOf(async () => watch.stepEnded('step')));
    best.find = Math.min(best.find, await msOf(() => scanByFind(workspace, 100_000)));
  }
  expect(best.step / best.find).toBeLessThan(3);
}, 120_000);

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
