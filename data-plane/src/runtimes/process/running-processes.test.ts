import { expect, test } from 'vitest';
import { type RunningProcess, variable, withDescendants } from './running-processes.ts';

const running = (pid: number, parentPid: number, startTicks = 100): RunningProcess => ({
  pid,
  parentPid,
  startTicks,
  environ: '\0A=1\0NAME=value with = in it\0EMPTY=\0',
});

test('finds descendants at any depth and in any order', () => {
  const processes = [running(7, 5), running(5, 3), running(3, 1), running(4, 1), running(1, 0)];
  expect(withDescendants([running(3, 1)], processes).map(({ pid }) => pid)).toEqual([3, 5, 7]);
});

test('does not count a later process with the pid of a root, nor its descendants', () => {
  const processes = [running(3, 1, 500), running(5, 3, 501), running(1, 0)];
  expect(withDescendants([running(3, 1, 100)], processes)).toEqual([]);
});

test('finds a variable by its whole name and returns its whole value', () => {
  const process = running(1, 0);
  expect(variable(process, 'NAME')).toBe('value with = in it');
  expect(variable(process, 'EMPTY')).toBe('');
  expect(variable(process, 'AME')).toBeNull();
  expect(variable(process, 'value')).toBeNull();
});
