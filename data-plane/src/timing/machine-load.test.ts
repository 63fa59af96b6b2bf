import { expect, test } from 'vitest';
import { createMachineLoad } from './machine-load.ts';

/** A machine with two processors, whose time is counted in milliseconds. */
function createMachine() {
  let at = 0;
  const times = { total: 0, idle: 0 };
  const load = createMachineLoad({ now: () => at, readTimes: () => ({ ...times }) });
  return {
    load,
    /** Lets time pass in which this share of both processors is idle. */
    pass(ms: number, idleShare: number) {
      at += ms;
      times.total += 2 * ms;
      times.idle += 2 * ms * idleShare;
    },
  };
}

test('a machine is busy if less than half of its time since the last look was idle', () => {
  const { load, pass } = createMachine();
  expect(load.isBusy()).toBeNull();
  pass(300, 0.6);
  expect(load.isBusy()).toBe(false);
  pass(300, 0.4);
  expect(load.isBusy()).toBe(true);
  pass(100, 1);
  expect(load.isBusy()).toBe(true);
  pass(300, 0.6);
  expect(load.isBusy()).toBe(false);
});

test('the own work of the caller does not count', () => {
  const { load, pass } = createMachine();
  pass(300, 1);
  expect(load.isBusy()).toBe(false);
  load.begin();
  pass(500, 0);
  expect(load.isBusy()).toBe(false);
  pass(600, 0);
  expect(load.isBusy()).toBe(false);
  load.end();
  pass(300, 1);
  expect(load.isBusy()).toBe(false);
});

test('time that is more than a second ago does not count', () => {
  const { load, pass } = createMachine();
  pass(5000, 1);
  expect(load.isBusy()).toBeNull();
  pass(300, 0);
  expect(load.isBusy()).toBe(true);
  pass(5000, 0);
  load.watch();
  pass(300, 1);
  expect(load.isBusy()).toBe(false);
});

test('a machine whose times cannot be read is never busy', () => {
  let at = 0;
  const load = createMachineLoad({ now: () => at, readTimes: () => null });
  at = 300;
  expect(load.isBusy()).toBe(false);
});
