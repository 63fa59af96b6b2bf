import { FrameSplitter, frameCostBytes, framesIn, type ProcessDone, positionOf } from '@holdfast/specs/agent';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ProcessLog } from './process-log.ts';
import { createEndsReader } from './read-ends.ts';

const kibibyte = 1024;
const started = { pid: 2, cwd: '/' };
const done: ProcessDone = {
  status: 'exited',
  exitCode: 0,
  signal: null,
  cause: null,
  durationMs: 1,
  usage: null,
  stdoutBytes: 0,
  stderrBytes: 0,
  outputIncomplete: false,
};

const piece = fc.record({
  stream: fc.constantFrom('stdout', 'stderr'),
  bytes: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 64 * kibibyte })),
});
const pieces = fc.array(piece, { maxLength: 40 });

/** One character for each position: of the output, `S` for `started`, `D` for `done`, and `?` for what is missing. */
function filled(parts: readonly { stream: string; bytes: number }[], bytesMax: number) {
  const log = new ProcessLog({ bytesMax: () => bytesMax });
  log.append('started', started);
  let text = 'S';
  parts.forEach(({ stream, bytes }, at) => {
    const letter = String.fromCharCode((stream === 'stdout' ? 97 : 65) + (at % 18));
    log.output(stream as 'stdout', Buffer.from(letter.repeat(bytes)));
    text += letter.repeat(bytes);
  });
  log.finish(done);
  return { log, text: `${text}D` };
}

function textOf(next: () => Buffer | null, after: number): string {
  let text = '';
  const splitter = new FrameSplitter();
  for (let bytes = next(); bytes; bytes = next()) {
    for (const frame of splitter.split(bytes)) {
      const { type, payload } = frame;
      if (type === 'started') text += 'S';
      else if (type === 'done') text += 'D';
      else if (type === 'truncated') text += '?'.repeat(JSON.parse(String(payload)).bytes);
      else text += payload.toString();
      expect(positionOf(frame)).toBe(after + text.length);
    }
  }
  return text;
}

const read = (log: ProcessLog, after: number) => {
  const reader = { position: after, block: null, offset: 0 };
  return textOf(() => log.read(reader), after);
};

test('gives exactly what is behind any position', () => {
  fc.assert(
    fc.property(pieces, fc.double({ min: 0, max: 1, noNaN: true }), (parts, share) => {
      const { log, text } = filled(parts, Number.POSITIVE_INFINITY);
      const after = Math.floor(share * text.length);
      expect(read(log, after) === text.slice(after)).toBe(true);
    }),
  );
});

test('drops the middle beyond its bytes, and says how much is missing', () => {
  fc.assert(
    fc.property(
      fc.array(piece, { minLength: 20, maxLength: 60 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (parts, share) => {
        const { log, text } = filled(parts, 192 * kibibyte);
        expect(log.bytes).toBeLessThanOrEqual(384 * kibibyte);
        const after = Math.floor(share * text.length);
        const got = read(log, after);
        expect(got.length).toBe(text.length - after);
        expect([...got].every((letter, at) => letter === '?' || letter === text[after + at])).toBe(true);
        expect(read(log, log.kept) === text.slice(log.kept)).toBe(true);
      },
    ),
    { numRuns: 30 },
  );
});

test('gives a reader that falls behind the rest with a gap, and one that keeps up everything', () => {
  const log = new ProcessLog({ bytesMax: () => 192 * kibibyte });
  const [slow, fast] = [0, 0].map((position) => ({ position, block: null, offset: 0 }));
  if (!slow || !fast) throw new Error('two readers');
  log.append('started', started);
  let whole = '';
  textOf(() => log.read(slow), 0);
  for (let at = 0; at < 100; at++) {
    log.output('stdout', Buffer.from(String.fromCharCode(97 + (at % 26)).repeat(10_000)));
    whole += textOf(() => log.read(fast), fast.position);
  }
  expect(whole.length).toBe(1_000_001);
  expect(whole.includes('?')).toBe(false);
  const late = textOf(() => log.read(slow), 1);
  expect(late.length).toBe(1_000_000);
  expect(late.includes('?')).toBe(true);
});

const stdout = (bytes: number) => ({ stream: 'stdout', bytes });
const stderr = (bytes: number) => ({ stream: 'stderr', bytes });
/** The block of the tiny piece has no room for the next one. */
const largeAfterTiny = [21_659, 1, 43_318, 24_354, 16_043, 25_113, 25].map(stdout);
const largeAfterTinyExactly = [21_659, 1, 43_334, 22_187, 43_174].map(stdout);
const stdoutBeforeMuchStderr = [...[1991, 63_001, 19, 47_381].map(stdout), ...[18_089, 47_446].map(stderr)];

test('puts single bytes into one frame, but never changes what a reader has got', () => {
  const { log, text } = filled(
    Array.from({ length: 300_000 }, () => stdout(1)),
    4096 * kibibyte,
  );
  expect(log.bytes).toBeLessThan(512 * kibibyte);
  expect(read(log, 1000) === text.slice(1000)).toBe(true);
  const live = new ProcessLog({ bytesMax: () => 192 * kibibyte });
  const reader = { position: 0, block: null, offset: 0 };
  live.append('started', started);
  const got: Buffer[] = [];
  for (let at = 0; at < 100; at++) {
    live.output('stdout', Buffer.from('ab'));
    live.output('stdout', Buffer.from('c'));
    const chunk = live.read(reader);
    if (chunk) got.push(chunk);
    live.output('stdout', Buffer.from('d'));
  }
  got.push(live.read(reader) as Buffer);
  expect(textOf(() => got.shift() ?? null, 0)).toBe(`S${'abcd'.repeat(100)}`);
});

test('bounds the memory and the report of single bytes that alternate between the streams', () => {
  const { log, text } = filled(
    Array.from({ length: 200_000 }, (_, at) => (at % 2 ? stderr(1) : stdout(1))),
    192 * kibibyte,
  );
  expect(log.bytes).toBeLessThanOrEqual(384 * kibibyte);
  const ends = createEndsReader(log, 0);
  const chunks: Buffer[] = [];
  for (let chunk = ends(); chunk; chunk = ends()) chunks.push(chunk);
  const frames = [...framesIn(Buffer.concat(chunks))];
  expect(frames.reduce((sum, { bytes }) => sum + bytes.length + frameCostBytes, 0)).toBeLessThan(150 * kibibyte);
  const shown = textOf(() => chunks.shift() ?? null, 0);
  expect(shown.length).toBe(text.length);
  expect([shown.slice(0, 200), shown.slice(-200)]).toEqual([text.slice(0, 200), text.slice(-200)]);
});

test('shows the first and the last 32 KiB of the output', () => {
  fc.assert(
    fc.property(pieces, (parts) => {
      const { log, text } = filled(parts, 192 * kibibyte);
      const ends = 32 * kibibyte;
      const output = text.slice(1, -1);
      const middle = Math.max(0, output.length - 2 * ends);
      const expected = middle === 0 ? text : `S${output.slice(0, ends)}${'?'.repeat(middle)}${output.slice(-ends)}D`;
      expect(textOf(createEndsReader(log, 0), 0) === expected).toBe(true);
    }),
    { numRuns: 50, examples: [[largeAfterTiny], [largeAfterTinyExactly]] },
  );
});

test('gives the bytes of one stream without gaps', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), fc.integer({ min: 0, max: 200_000 }), (parts, from) => {
      const { log, text } = filled(parts, 192 * kibibyte);
      const stream = [...text.slice(1, -1)].filter((letter) => letter >= 'a').join('');
      const { offset, pieces: got } = log.outputFrom('stdout', from);
      expect(offset).toBeGreaterThanOrEqual(from);
      const bytes = Buffer.concat(got).toString();
      expect(bytes === stream.slice(offset, offset + bytes.length)).toBe(true);
      expect(bytes.length > 0 || offset >= stream.length).toBe(true);
    }),
    { numRuns: 30, examples: [[stdoutBeforeMuchStderr, 64_992]] },
  );
});
