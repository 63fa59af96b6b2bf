import type { Database } from '../registry/connect.ts';
import { listUnfinishedNumbers } from '../registry/steps/list-step-places.ts';
import type { Caller } from '../sessions/caller.ts';
import { existingSession } from '../sessions/existing-session.ts';
import { type Happening, isAtEnd, readHappenings } from './read-happenings.ts';
import type { SessionWatch, SessionWatches } from './session-watches.ts';
import type { SharedSteps } from './shared-steps.ts';
import { invalidPosition, parsePosition, StreamPosition } from './stream-position.ts';

export type FollowSessionDependencies = { db: Database; watches: SessionWatches; sharedSteps: SharedSteps };

type FollowInput = {
  caller: Caller;
  sessionId: string;
  /** The cursor of the last event that the reader has. */
  after?: string | undefined;
  /** The part of the request that has the cursor, for a problem with it. */
  pointer?: string | undefined;
  /** Without a cursor: all that is recorded, or only what has not ended. */
  from: 'start' | 'now';
  signal: AbortSignal;
};

/** Everything that happens in a session, for one reader. */
export type SessionStream = {
  /** The place of the reader, which the reader moves with each event that it gets. */
  position: StreamPosition;
  /** Whether the session has ended and the reader has everything. */
  isAtEnd: boolean;
  /** Everything that happens, and `quiet` if that was nothing for `quietMs`. Ends with the session, or when `signal` aborts. */
  happenings(quietMs: number): AsyncGenerator<Happening>;
};

/**
 * Follows a session on whichever replicas its steps run: first what was recorded, then what happens, in order within each step.
 * @throws Problem 400 if the cursor is not of this session, 404, 410 (deleted session)
 */
export async function followSession(deps: FollowSessionDependencies, input: FollowInput): Promise<SessionStream> {
  const { caller, sessionId, after, pointer, from, signal } = input;
  await existingSession(deps.db, { id: sessionId, tenant: caller.tenant });
  const watch = await deps.watches.watch(sessionId, signal);
  const position =
    after === undefined
      ? await positionFrom(deps.db, { sessionId, from, watch })
      : parsePosition(sessionId, after, pointer);
  const { marks } = watch;
  if (marks && position.stepNumber > marks.stepCount) throw invalidPosition(pointer);
  const reading = { sessionId, watch, position, signal };
  return {
    position,
    isAtEnd: isAtEnd(watch, position),
    happenings: (quietMs) => readHappenings(deps, { ...reading, quietMs }),
  };
}

type From = Pick<FollowInput, 'sessionId' | 'from'> & { watch: SessionWatch };

/** The marks were read first, so a step that begins in between comes with its beginning. */
async function positionFrom(db: Database, { sessionId, from, watch: { marks } }: From): Promise<StreamPosition> {
  const position = new StreamPosition(sessionId);
  if (from === 'start' || marks === null) return position;
  position.pass(marks.stepCount);
  position.passEntry(marks.entryNumber);
  for (const number of await listUnfinishedNumbers(db, { sessionId })) {
    if (number <= position.stepNumber) position.begin(number);
  }
  return position;
}
