import { newId, Problem } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { outputUri } from '../call/resource-uri.ts';
import { readResource } from './read-resource.ts';

type Reading = Parameters<typeof readResource>[0];
type Asked = { onChunk(chunk: Uint8Array): unknown; signal: AbortSignal };

const sessionId = newId('ses');
const stepId = newId('stp');

/** A client of a session whose sandbox gives the output of a step as `readOutput` does. */
function reading(readOutput: (asked: Asked) => Promise<void>, more: object = {}): Reading {
  const verbs = { getSession: async () => ({ id: sessionId, clientKey: null, metadata: {} }), readOutput, ...more };
  const call = { verbs, mcp: { id: newId('mcp') }, caller: { tenant: 'ours' }, left: new AbortController().signal };
  return { ...call, wholeReads: { begin: async () => {} } } as unknown as Reading;
}

type Part = { text: string; _meta?: Record<string, string> };

test('the parts of long output end between characters, and have all of it together', async () => {
  const output = Buffer.from(`x${'😀'.repeat(600_000)}`);
  const call = reading(async ({ onChunk, signal }) => {
    for (let at = 0; at < output.length; at += 65_536) {
      signal.throwIfAborted();
      onChunk(output.subarray(at, at + 65_536));
    }
  });
  const parts: string[] = [];
  for (let uri: string | undefined = outputUri({ sessionId, stepId, stream: 'stdout' }); uri; ) {
    const [part] = (await readResource(call, uri)).contents as Part[];
    parts.push(part?.text ?? '');
    uri = part?._meta?.['holdfast/next'];
  }
  expect(parts).toHaveLength(3);
  expect(parts.join('') === output.toString()).toBe(true);
});

test('output whose sandbox goes while it is read is given once, as it was recorded', async () => {
  const getStep = async () => ({ stdout: 'all of it' });
  const gone = reading(
    async ({ onChunk }) => {
      onChunk(Buffer.from('all '));
      throw new Problem('session-ended');
    },
    { getStep },
  );
  const { contents } = await readResource(gone, outputUri({ sessionId, stepId, stream: 'stdout' }));
  expect(contents).toMatchObject([{ text: 'all of it' }]);
});

test('nothing is read before the tenant has a turn', async () => {
  const begun: string[] = [];
  const call = reading(async () => void begun.push('read'));
  const waiting = { ...call, wholeReads: { begin: () => Promise.reject(new Problem('quota-exceeded')) } };
  await expect(readResource(waiting, outputUri({ sessionId, stepId, stream: 'stderr' }))).rejects.toThrow(Problem);
  expect(begun).toEqual([]);
});
