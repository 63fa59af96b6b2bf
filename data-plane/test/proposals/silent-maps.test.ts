import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createInstallation } from '../support/installation.ts';
import { governedSession, proposing, text } from './governed-session.ts';

const memory = '/dev/shm';

test.skipIf(!existsSync(memory))(
  'a file of a tmpfs that code changes by a map alone, which moves no time, reaches the world by a commit only, and a rejection cuts the map off',
  async () => {
    await using installation = await createInstallation({ under: memory });
    const holdfast = await installation.start();
    const { db } = installation.database;
    const one = await governedSession(
      { installation, holdfast, db },
      { policy: proposing, files: { a: 'old', b: 'old' } },
    );
    await one.run(`import mmap, os
def opened(name):
  with open(name, "r+b") as f: return mmap.mmap(f.fileno(), 0)
maps = {name: opened(name) for name in "ab"}
# The first write to a page moves the time of the file, and later ones do not.
for m in maps.values(): m[0:3] = b"old"
times = {name: os.stat(name).st_ctime_ns for name in "ab"}`);
    const silent = await one.run(`for m in maps.values(): m[0:3] = b"new"
[os.stat(name).st_ctime_ns == time for name, time in times.items()]`);
    expect(silent.results[0]?.data['text/plain']).toBe('[True, True]');
    const old = { a: text('old'), b: text('old') };
    const changed = { a: text('new'), b: text('new') };
    expect([one.workingCopy(), await one.world(), silent.proposals]).toEqual([changed, old, []]);
    const touched = await one.run('os.utime("a")');
    const [proposal] = touched.proposals;
    expect(proposal?.changes).toMatchObject([{ path: 'a' }]);
    expect(await one.world()).toEqual(old);
    await one.reject(proposal?.id ?? '');
    await one.run('for m in maps.values(): m[0:3] = b"end"');
    expect(one.workingCopy()).toEqual({ a: text('old'), b: text('end') });
    const other = await one.run('os.utime("b")');
    expect(await one.world()).toEqual(old);
    await one.commit(other.proposals[0]?.id ?? '');
    expect(await one.world()).toEqual({ a: text('old'), b: text('end') });
  },
  60_000,
);
