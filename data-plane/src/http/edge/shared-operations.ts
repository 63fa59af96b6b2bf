import { Problem, type ShareAccess } from '@holdfast/specs/public';
import type { Caller } from '../../sessions/caller.ts';

const session = '/v1/sessions/:sessionId';

/** Everything that share links let people do. Any other operation is refused. */
export const sharedOperations: ReadonlyMap<string, ShareAccess> = new Map([
  [`GET ${session}`, 'watch'],
  [`GET ${session}/events`, 'watch'],
  [`GET ${session}/steps`, 'watch'],
  [`GET ${session}/steps/:stepId`, 'watch'],
  [`GET ${session}/steps/:stepId/events`, 'watch'],
  [`GET ${session}/steps/:stepId/output/:stream`, 'watch'],
  [`GET ${session}/processes`, 'watch'],
  [`GET ${session}/processes/:processId`, 'watch'],
  [`GET ${session}/processes/:processId/events`, 'watch'],
  [`GET ${session}/processes/:processId/output/:stream`, 'watch'],
  [`GET ${session}/context`, 'watch'],
  [`GET ${session}/files`, 'watch'],
  [`GET ${session}/files/*`, 'watch'],
  [`GET ${session}/proposals`, 'watch'],
  [`GET ${session}/proposals/:proposalId`, 'watch'],
  [`POST ${session}/steps`, 'run'],
  [`POST ${session}/steps/:stepId/interrupt`, 'run'],
  [`POST ${session}/steps/:stepId/stdin`, 'run'],
  [`GET ${session}/processes/:processId/channel`, 'run'],
  [`POST ${session}/processes`, 'run'],
  [`POST ${session}/processes/:processId/stdin`, 'run'],
  [`POST ${session}/processes/:processId/signal`, 'run'],
  [`POST ${session}/processes/:processId/terminal`, 'run'],
]);

/** An operation as it is asked for. `path` has the names of its parameters. */
export type AskedOperation = { method: string; path: string; sessionId: string | undefined };

/** @throws Problem 403 unless the link is for this session and allows the operation */
export function refuseBeyondShare({ sessionId, access }: NonNullable<Caller['share']>, asked: AskedOperation): void {
  const needed = sharedOperations.get(`${asked.method === 'HEAD' ? 'GET' : asked.method} ${asked.path}`);
  if (asked.sessionId !== sessionId) {
    throw new Problem('forbidden', { detail: 'the share link is for another session' });
  }
  if (needed === undefined || (needed === 'run' && access !== 'run')) {
    throw new Problem('forbidden', { detail: `a share link with the access ${access} does not allow this` });
  }
}
