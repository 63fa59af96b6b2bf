import { expect, test } from 'vitest';
import { createOutputGatherer } from './gather-output.ts';

const part = (type: 'result' | 'result_update', content: object) => ({
  type,
  payload: Buffer.from(JSON.stringify(content)),
  isFirst: true,
  isLast: true,
});

const result = (displayId: string, text: string) =>
  part('result', { displayId, isMain: false, data: { 'text/plain': text }, metadata: {} });

const update = (displayId: string, text: string) =>
  part('result_update', { displayId, data: { 'text/plain': text }, metadata: {} });

test('updates together do not make results larger than results may be', () => {
  const gatherer = createOutputGatherer();
  for (let n = 0; n < 20; n++) gatherer.add(result(`${n}`, 'small'));
  for (let n = 0; n < 20; n++) gatherer.add(update(`${n}`, 'x'.repeat(2 ** 20)));
  const { results, resultsOmitted } = gatherer.output();
  expect(JSON.stringify(results).length).toBeLessThan(9 * 2 ** 20);
  expect(resultsOmitted).toBeGreaterThan(10);
});

test('a result that is updated often takes the room of its last content', () => {
  const gatherer = createOutputGatherer();
  gatherer.add(result('bar', '0 %'));
  for (let n = 1; n <= 20; n++) gatherer.add(update('bar', `${n}${'x'.repeat(2 ** 20)}`));
  gatherer.add(update('bar', '100 %'));
  const { results, resultsOmitted } = gatherer.output();
  expect([results.map(({ data }) => data['text/plain']), resultsOmitted]).toEqual([['100 %'], 0]);
});
