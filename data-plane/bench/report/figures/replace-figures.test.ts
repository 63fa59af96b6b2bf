import { expect, test } from 'vitest';
import { replaceFigures } from './replace-figures.ts';

const page = 'Written.\n<!-- figures -->\nold\n<!-- end of figures -->\nAlso written.\n';

test('only the text between the markers changes, also on a second run', () => {
  const once = replaceFigures(page, 'new\n');
  expect(once).toBe('Written.\n<!-- figures -->\n\nnew\n\n<!-- end of figures -->\nAlso written.\n');
  expect(replaceFigures(once, 'new')).toBe(once);
});

test.each(['', '<!-- figures -->', '<!-- end of figures --><!-- figures -->', page + page])(
  'refuses a page without exactly one pair of markers: %j',
  (given) => {
    expect(() => replaceFigures(given, 'new')).toThrow('must have the lines');
  },
);
