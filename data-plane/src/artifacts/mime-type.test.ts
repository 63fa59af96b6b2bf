import { expect, test } from 'vitest';
import { mimeType } from './mime-type.ts';

test('the extension decides the type; text is UTF-8, and an unknown extension means bytes', () => {
  expect(mimeType('plots/plot.PNG')).toBe('image/png');
  expect(mimeType('data.csv')).toBe('text/csv; charset=utf-8');
  expect(mimeType('page.html')).toBe('text/html; charset=utf-8');
  expect(mimeType('src/main.py')).toBe('text/x-python; charset=utf-8');
  expect(mimeType('src/main.ts')).toBe('text/x-typescript; charset=utf-8');
  expect(mimeType('report.json')).toBe('application/json');
  for (const path of ['Makefile', 'png', '.png', 'a.b/c', 'x.surely-unknown', '']) {
    expect(mimeType(path), path).toBe('application/octet-stream');
  }
});
