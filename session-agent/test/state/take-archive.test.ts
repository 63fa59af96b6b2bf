import { closeSync, constants, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ArchiveFifo } from '../../src/state/archive-fifo.ts';
import { takeArchive } from '../../src/state/take-archive.ts';

let tmp: string;
beforeEach(() => {
  tmp = mkdtempSync(join(tmpdir(), 'holdfast-take-archive-'));
});
afterEach(() => rmSync(tmp, { recursive: true, force: true }));

const manifest = JSON.stringify({ format: 1, language: 'python', interpreter: 'Python', saved: [], notSaved: [] });
const archive = `${manifest}${String(manifest.length).padStart(10, '0')}hfsnap1\n`;
const timeoutMs = 400;

/** A kernel that answers at once, and whose child writes the archive when it is told to. */
function startTaking(written = archive) {
  let write = () => {};
  const asked = Promise.withResolvers<void>();
  const kernel = {
    exited: new Promise<never>(() => {}),
    async snapshot({ path }: { path: string }) {
      write = () => {
        const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
        writeSync(fd, written);
        closeSync(fd);
      };
      asked.resolve();
    },
  };
  const taken = takeArchive({
    kernel: kernel as unknown as Parameters<typeof takeArchive>[0]['kernel'],
    fifo: new ArchiveFifo(tmp),
    tmp,
    bytesMax: 1000,
    timeoutMs,
    isFork: false,
    onAnswered: () => {},
  });
  taken.catch(() => {});
  return { taken, asked: asked.promise, write: () => write() };
}

/** Lets nothing of this program run, as if it were stopped. */
const standStill = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

test('an archive that was written while the agent stood still is read', async () => {
  const { taken, asked, write } = startTaking();
  await asked;
  await new Promise((resolve) => setImmediate(resolve));
  write();
  standStill(timeoutMs * 1.5);
  expect(await taken).toMatchObject({ size: archive.length, language: 'python' });
});

test('a snapshot ends if nothing is written in half of its time', async () => {
  const { taken, asked } = startTaking();
  await asked;
  const startMs = performance.now();
  await expect(taken).rejects.toMatchObject({ slug: 'sandbox-failed' });
  expect(performance.now() - startMs).toBeLessThan(timeoutMs * 5);
});

test.each([
  ['manifest\nfailed: the shell is broken\n', 'the kernel could not save its state: the shell is broken'],
  ['failed: no\nand more', 'the kernel wrote no complete archive'],
])('the problem of an archive %j has the words of the kernel, if there are any', async (written, detail) => {
  const { taken, asked, write } = startTaking(written);
  await asked;
  write();
  await expect(taken).rejects.toMatchObject({ slug: 'sandbox-failed', options: { detail } });
});
