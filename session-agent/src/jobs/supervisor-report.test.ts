import { expect, test } from 'vitest';
import { decodeWaitStatus } from '../kernel-process/end/decode-wait-status.ts';
import { createSupervisorReader, type ProgramEnd } from './supervisor-report.ts';

test.for([
  [0, { exitCode: 0, signal: null }],
  [3 << 8, { exitCode: 3, signal: null }],
  [255 << 8, { exitCode: 255, signal: null }],
  [9, { exitCode: null, signal: 'SIGKILL' }],
  [11 | 0x80, { exitCode: null, signal: 'SIGSEGV' }],
  [40, { exitCode: null, signal: 'SIGRT40' }],
] as const)('decodes the wait status %i of Linux', ([status, end]) => {
  expect(decodeWaitStatus(status)).toEqual(end);
});

test('reads reports from pieces of any size and skips unknown lines', () => {
  const told: (ProgramEnd | 'begun')[] = [];
  const read = createSupervisorReader({ begun: () => told.push('begun'), ended: (end) => told.push(end) });
  const text = `begun\nrubbish\nended\nended -1\nended 999999\nended 0x9\n${'x'.repeat(100_000)}\nfailed no such file\nended 768\nended 768 1500 2048\nexceeded all\nexceeded memory\nended 9 1 2\n`;
  for (const character of text) read(Buffer.from(character));
  const failed = { exitCode: null, signal: null, fault: 'no such file' };
  const usage = { cpuSeconds: 1.5, memoryBytesMax: 2 * 1024 ** 2 };
  const killed = { exitCode: null, signal: 'SIGKILL', usage: { cpuSeconds: 0.001, memoryBytesMax: 2048 } };
  const ends = [
    { exitCode: 3, signal: null, usage },
    { ...killed, exceeded: 'memory' },
  ];
  expect(told).toEqual(['begun', failed, ...ends]);
});
