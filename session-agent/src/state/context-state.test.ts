import { newId, type StepStatus } from '@holdfast/specs/public';
import { expect, test, vi } from 'vitest';
import { ContextState } from './context-state.ts';

const step = (code: string) => ({ stepId: newId('stp'), code, status: 'succeeded' as StepStatus, replay: false });
const archive = (path: string) => ({ path, size: 1, language: 'python', remove: vi.fn(async () => {}) });
const codes = (state: ContextState) => state.steps.map(({ code }) => code);
const tooLong = ' '.repeat(4 * 1024 * 1024 + 1);

test('keeps the steps that were noted after the archive was begun', async () => {
  const state = new ContextState();
  state.note(step('a'));
  const { noted } = state;
  state.note(step('b'));
  const first = archive('/1');
  await state.replace(first, noted);
  expect([state.archive, codes(state), state.isComplete]).toEqual(['/1', ['b'], true]);
  await state.replace(archive('/2'), state.noted);
  expect([codes(state), first.remove.mock.calls.length]).toEqual([[], 1]);
});

test('code that is too long to keep makes the state incomplete until an archive has it', async () => {
  const state = new ContextState();
  const before = state.noted;
  state.note(step(tooLong));
  state.note(step('a'));
  expect(state.isComplete).toBe(false);
  await state.replace(archive('/1'), before);
  expect(state.isComplete).toBe(false);
  await state.replace(archive('/2'), state.noted);
  expect([state.isComplete, codes(state)]).toEqual([true, []]);
});

test('a state that begins with steps has them before its own', async () => {
  const state = new ContextState();
  state.note(step('old'));
  await state.begin(archive('/1'), [step('a')]);
  state.note(step('b'));
  expect(codes(state)).toEqual(['a', 'b']);
  await state.forget();
  expect([state.archive, codes(state), state.isComplete]).toEqual([null, [], true]);
});
