import { Problem } from '@holdfast/specs/public';

export const endedProcess = (id: string) => new Problem('process-ended', { detail: `process ${id} has ended` });

export const notStartedYet = (id: string) =>
  new Problem('sandbox-unreachable', { detail: `process ${id} is on its way to its sandbox`, retryAfterSeconds: 1 });

export const isNotFound = (error: unknown): boolean => error instanceof Problem && error.slug === 'not-found';
