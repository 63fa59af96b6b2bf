import { eventually as often } from '../../data-plane/test/support/eventually.ts';

/**
 * Repeats `check` until it no longer throws, at a pace that leaves the machine to the cluster: most looks are a program
 * each.
 */
export const eventually = <T>(check: () => T | Promise<T>, withinMs: number): Promise<T> => often(check, withinMs, 250);
