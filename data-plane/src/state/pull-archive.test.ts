import { archiveEnd, type Language, manifestLengthDigits } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { ContentTooLarge } from '../contents/meter.ts';
import { pullArchive } from './pull-archive.ts';

/** An agent whose snapshots have a manifest of this language, and a store that keeps nothing. */
function sending(language: string) {
  const manifest = JSON.stringify({ format: 1, language, interpreter: 'any 1.0', saved: [], notSaved: [] });
  const length = String(manifest.length).padStart(manifestLengthDigits, '0');
  const archive = Buffer.from(`${manifest}${length}${archiveEnd}`);
  return {
    snapshots: { bytesMax: 1000, timeoutMs: 1000 },
    agents: {
      async *pull(_target: unknown, { onHeaders }: { onHeaders?: (headers: object, status: number) => void }) {
        onHeaders?.({ 'holdfast-context-epoch': '1', 'holdfast-execution-count': '1' }, 200);
        yield archive;
      },
    },
    contents: {
      async store(source: AsyncIterable<Uint8Array>) {
        for await (const _ of source);
        return { sha256: '', size: archive.length };
      },
    },
  } as never;
}

const pull = (sent: string, language: Language) =>
  pullArchive(sending(sent), {
    route: {} as never,
    contextId: language,
    language,
    signal: new AbortController().signal,
  });

test('an archive of the language of its context is taken', async () => {
  expect(await pull('python', 'python')).toMatchObject({ manifest: { language: 'python' }, executionCount: 1 });
});

test.each(['node', 'Python', '', 'python3'])(
  'an archive that says %j is refused for a Python context',
  async (sent) => {
    await expect(pull(sent, 'python')).rejects.toMatchObject({ name: 'AgentError', kind: 'invalid' });
  },
);

test('an archive without an end is a fault of the agent', async () => {
  const endless = {
    ...(sending('python') as object),
    contents: { store: () => Promise.reject(new ContentTooLarge(1)) },
  };
  const context = { route: {} as never, contextId: 'python', language: 'python' } as const;
  const pulled = pullArchive(endless as never, { ...context, signal: new AbortController().signal });
  await expect(pulled).rejects.toMatchObject({ name: 'AgentError', kind: 'invalid' });
});
