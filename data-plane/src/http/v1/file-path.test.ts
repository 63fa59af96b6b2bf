import { expect, test } from 'vitest';
import { absolutePaths, plainPaths, refusedPaths } from '../../../../specs/test/hostile-paths.ts';
import { filePathIn } from './file-path.ts';

const before = '/v1/sessions/ses_01kaf3xq5t7e8m9n0p1r2s3t4v/files';
const inUrl = (path: string) => `${before}/${path.split('/').map(encodeURIComponent).join('/')}`;

test('rejects every hostile path in a URL', () => {
  for (const path of refusedPaths)
    expect([path.slice(0, 80), filePathIn(inUrl(path))]).toEqual([path.slice(0, 80), null]);
});

test('keeps an absolute path absolute', () => {
  for (const path of absolutePaths) expect(filePathIn(inUrl(path))?.startsWith('/')).toBe(true);
});

test('decodes a name that looks like a trick once and takes it as it is', () => {
  for (const path of plainPaths) expect(filePathIn(inUrl(path))).toBe(path);
});

test.each([
  ['a step up', '..'],
  ['an encoded step up', '%2e%2e'],
  ['half of it encoded', 'a/.%2E/b'],
  ['the directory itself', './a'],
  ['an encoded slash', 'a%2Fb'],
  ['an encoded slash behind dots', '..%2f..%2fetc'],
  ['an encoded NUL', 'a%00'],
  ['an overlong slash', 'a%c0%af'],
  ['overlong dots', '%c0%ae%c0%ae'],
  ['a surrogate', '%ed%a0%80'],
  ['half a sequence', 'a%e2%82'],
  ['a percent sign alone', 'a%'],
  ['a percent sign without hexadecimal digits', '%zz'],
  ['bytes as they are', 'caf\u00e9'],
  ['a step up behind an encoded root', '%2Ftmp%2F..%2Fetc'],
  ['an encoded NUL behind an encoded root', '%2Ftmp%2Fa%00'],
  ['a percent sign alone behind an encoded root', '%2Ftmp%2Fa%'],
])('rejects %s', (_, rest) => {
  expect(filePathIn(`${before}/${rest}`)).toBeNull();
});

test.each([
  ['an encoded percent sign', '%252e%252e', '%2e%2e'],
  ['a backslash', '..%5Cx', '..\\x'],
  ['a plus, which does not mean a space', 'a+b', 'a+b'],
  ['a query behind it', 'a?x=../b', 'a'],
  ['two forms of one letter', 'e%CC%81/%C3%A9', 'e\u0301/\u00e9'],
  ['slashes that repeat', 'a//b/', 'a/b'],
  ["the workspace's own path", '/workspace/a', 'a'],
  ['the other path of the workspace', '/mnt/data/a', 'a'],
  ['nothing', '', ''],
  ['an absolute path', '/tmp/a', '/tmp/a'],
  ['an absolute path in one part', '%2Ftmp%2fa', '/tmp/a'],
  ['an absolute path of which the first slash is encoded', '%2Ftmp/a%20b', '/tmp/a b'],
  ['an absolute path that is encoded twice', '%252Ftmp%252Fa', '%2Ftmp%2Fa'],
  ['the workspace as an absolute path in one part', '%2Fworkspace%2Fa', 'a'],
])('reads %s', (_, rest, path) => {
  expect(filePathIn(`${before}/${rest}`)).toBe(path);
  expect(filePathIn(`http://127.0.0.1:8080${before}/${rest}`)).toBe(path);
});
