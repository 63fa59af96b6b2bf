import { eventually as often } from '../../data-plane/test/support/eventually.ts';

/** Repeats `check` until it no longer throws. Pauses longer than usual, because most checks start a program. */
export const eventually = <T>(check: () => T | Promise<T>, withinMs: number): Promise<T> => often(check, withinMs, 250);
