import { expect, test } from 'vitest';
import { outcomeOf } from './run-code.ts';

type Step = Parameters<typeof outcomeOf>[0];

const stepWith = (images: string[]) =>
  ({
    status: 'succeeded',
    stdout: '',
    stderr: '',
    error: null,
    results: images.map((image) => ({ data: { 'image/png': image } })),
  }) as unknown as Step;

test('a model gets no more images than it can take, and is told how many are missing', () => {
  const many = outcomeOf(stepWith(Array.from({ length: 20 }, () => 'AAAA')), 1000);
  expect(many).toMatchObject({ images: { length: 16 }, text: '[images left out: 4]' });
  const large = 'A'.repeat(6 * 1024 * 1024);
  const { images, text } = outcomeOf(stepWith([large, large, 'BBBB']), 1000);
  expect(images.map(({ base64 }) => base64[0])).toEqual(['A', 'B']);
  expect(text).toBe('[images left out: 1]');
});
