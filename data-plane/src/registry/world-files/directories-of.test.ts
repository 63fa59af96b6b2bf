import { expect, test } from 'vitest';
import { directoriesOf, emptyDirectories, freeDirectories, withParents } from './directories-of.ts';

const files = (...paths: string[]) => paths.map((path) => ({ path }));

test('lists the directories of a path from the top', () => {
  expect(directoriesOf('a/b/c')).toEqual(['a', 'a/b']);
  expect(directoriesOf('a')).toEqual([]);
  expect(withParents(['a/b', 'a/c/d'])).toEqual(['a', 'a/b', 'a/c', 'a/c/d']);
});

test('a directory is free unless it is at or below a file, also beside names that begin with the same characters', () => {
  const directories = ['z', 'a/b', 'a-b', 'a', 'a/b/c', 'c', 'c!/d', 'ä/b', 'b/c'];
  const entries = { files: files('a/b', 'c', 'a!', 'ä', 'b/b'), directories };
  expect(freeDirectories(entries)).toEqual(['a', 'a-b', 'b/c', 'c!/d', 'z']);
  expect(freeDirectories({ files: [], directories: ['b', 'a'] })).toEqual(['a', 'b']);
});

test('a directory is empty if neither a file nor a directory is below it', () => {
  const directories = ['a', 'a/b', 'a-b', 'full', 'full-not', 'deep', 'deep/er/est', 'file', 'file/below'];
  const entries = { files: files('full/x', 'file'), directories };
  expect(emptyDirectories(entries)).toEqual(['a/b', 'a-b', 'deep/er/est', 'full-not']);
});
