import { expect, test } from 'vitest';
import { readLines } from './read-lines.ts';

async function linesOf(chunks: string[], bytesMax = 8) {
  const stream = (async function* () {
    for (const chunk of chunks) yield Buffer.from(chunk, 'latin1');
  })();
  const lines: (string | null)[] = [];
  for await (const line of readLines(stream, { bytesMax })) lines.push(line);
  return lines;
}

test('joins what comes in pieces, and splits what comes at once', async () => {
  expect(await linesOf(['a', 'b\nc\r\n', '\nd'])).toEqual(['ab', 'c', '', 'd']);
  expect(await linesOf(['\xc3', '\xa4\n'])).toEqual(['ä']);
});

test('leaves out a line that is too long, and goes on with the next', async () => {
  expect(await linesOf(['12345678\n', '1234', '56789', 'x\nnext\n', '123456789'])).toEqual([
    '12345678',
    null,
    'next',
    null,
  ]);
});
