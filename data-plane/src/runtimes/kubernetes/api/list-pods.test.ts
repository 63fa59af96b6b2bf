import { expect, test } from 'vitest';
import { ApiError } from './api-error.ts';
import { listPods } from './list-pods.ts';
import type { PodPage } from './pod-api.ts';

/** Answers each request with the next of these, and records the requests. */
function pages(...answers: (PodPage | Error)[]) {
  const asked: (string | null)[] = [];
  const api = {
    isDown: () => false,
    async listPage({ continueFrom }: { continueFrom: string | null }) {
      asked.push(continueFrom);
      const answer = answers.shift();
      if (answer instanceof Error || !answer) throw answer ?? new Error('nothing left');
      return answer;
    },
  };
  return { api, asked };
}
const page = (name: string, next: string | null, resourceVersion = '7'): PodPage => ({
  pods: [{ metadata: { name } }],
  resourceVersion,
  next,
});
const expired = () => new ApiError('expired', 'the continuation is too old');
const names = ({ pods }: { pods: PodPage['pods'] }) => pods.map(({ metadata }) => metadata?.name);

test('joins all pages into one list with the version of the first', async () => {
  const { api, asked } = pages(page('a', 'x'), page('b', 'y'), page('c', null));
  const list = await listPods({ api });
  expect(names(list)).toEqual(['a', 'b', 'c']);
  expect(list.resourceVersion).toBe('7');
  expect(asked).toEqual([null, 'x', 'y']);
});

test('starts again without the first pages if the continuation has expired', async () => {
  const { api, asked } = pages(page('a', 'x'), expired(), page('b', 'y', '9'), page('c', null, '9'));
  const list = await listPods({ api });
  expect(names(list)).toEqual(['b', 'c']);
  expect(asked).toEqual([null, 'x', null, 'y']);
});

test('throws if the list cannot be complete', async () => {
  const refused = pages(page('a', 'x'), new ApiError('refused', 'forbidden'));
  await expect(listPods(refused)).rejects.toMatchObject({ kind: 'refused' });
  const always = pages(...Array.from({ length: 3 }, () => [page('a', 'x'), expired()]).flat());
  await expect(listPods(always)).rejects.toMatchObject({ kind: 'expired' });
});
