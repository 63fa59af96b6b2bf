import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { OutputFile } from '../../src/steps/output-file.ts';
import { until } from '../support/until.ts';

const mebibyte = 1024 * 1024;
const options = { tmp: '/tmp', bytesMax: 1024 * mebibyte, head: [], reserve: () => true };

async function contents(file: OutputFile) {
  const pieces: Uint8Array[] = [];
  const { bytes, isWhole } = await file.extent();
  for await (const piece of file.read(bytes)) pieces.push(piece);
  return { isWhole, text: Buffer.concat(pieces).toString() };
}

test('stores the head first and then new bytes, in order', async () => {
  const head = Array.from({ length: 1000 }, (_, index) => Buffer.from(`${index} `));
  const file = new OutputFile({ ...options, head });
  const one = Buffer.from('one ');
  file.push(one);
  // The memory belongs to the next read.
  one.fill('?');
  expect(await contents(file)).toEqual({ isWhole: false, text: `${head.join('')}one ` });
  file.push(Buffer.from('two'));
  file.end();
  expect(await contents(file)).toEqual({ isWhole: true, text: `${head.join('')}one two` });
  file.drop();
});

test('stores the beginning if the code is faster than the disk, and holds a limited part in memory', async () => {
  const file = new OutputFile(options);
  for (let index = 0; index < 64; index++) file.push(Buffer.alloc(mebibyte, String.fromCharCode(48 + index)));
  file.end();
  const { isWhole, text } = await contents(file);
  expect([isWhole, text.length / mebibyte]).toEqual([false, 15]);
  expect(text[14 * mebibyte]).toBe('>');
  file.drop();
});

test('stores nothing and does not fail if a file cannot be created', async () => {
  const file = new OutputFile({ ...options, tmp: '/nowhere' });
  file.push(Buffer.from('x'));
  file.end();
  expect(await file.extent()).toEqual({ bytes: 0, isWhole: false });
  file.push(Buffer.from('y'));
  file.drop();
});

test('closes a dropped file once its current readers have reached the end', async () => {
  const tmp = mkdtempSync('/tmp/holdfast-test-');
  try {
    const file = new OutputFile({ ...options, tmp });
    file.push(Buffer.alloc(mebibyte, 'x'));
    file.end();
    const { bytes } = await file.extent();
    const reading = file.read(bytes);
    await reading.next();
    const open = () => readdirSync('/proc/self/fd').length;
    const before = open();
    file.drop();
    let rest = 0;
    for await (const piece of reading) rest += piece.length;
    expect(rest).toBe(mebibyte - 65_536);
    await until('the file to be closed', () => open() < before);
  } finally {
    rmSync(tmp, { recursive: true });
  }
});
