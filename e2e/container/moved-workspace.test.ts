import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, test } from 'vitest';
import { expectFileRoots, expectUser, movedProfile } from '../moved-workspace.ts';
import { type OnEngine, startOnEngine } from './start-on-engine.ts';

const image = 'localhost/holdfast/runtime-python:dev';

let folder: string;
let on: OnEngine;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-e2e-'));
  const profiles = join(folder, 'profiles.json');
  await writeFile(
    profiles,
    JSON.stringify({ profiles: [{ ...movedProfile, image, languages: ['python', 'node', 'bash'] }] }),
  );
  on = await startOnEngine({ HOLDFAST_PROFILES_FILE: profiles });
});
afterAll(async () => {
  await on?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

test('the user of a container has the name of its profile, for the system as well', () => expectUser(on.holdfast));

test('files of a container outside its workspace are under the roots of its profile', () =>
  expectFileRoots(on.holdfast));
