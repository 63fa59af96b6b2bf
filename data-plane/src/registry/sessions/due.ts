import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { sessions } from '../schema/sessions.ts';
import { steps } from '../schema/steps.ts';

const past = (start: SQLWrapper, seconds: SQLWrapper) => sql`${start} + ${seconds} * interval '1 second' <= now()`;

/** A running step is activity; one has a replica that follows it. */
const hasUnfinishedStep = sql`exists (
  select from ${steps} where ${steps.sessionId} = ${sessions.id} and ${steps.replicaId} is not null
)`;

const jobHasEnded = sql`exists (
  select from ${steps} where ${steps.id} = ${sessions.jobId} and ${steps.finishedAt} is not null
)`;

/** The deadlines that end a live session, as conditions: who takes a session by one and who ends it go by the same. */
export const deadlines = {
  /** Still `creating` after its deadline. */
  start_overdue: sql`${sessions.status} = 'creating' and ${sessions.startDeadlineAt} <= now()`,
  /** Active for the sake of a job that has ended. */
  job_ended: sql`${sessions.status} = 'active' and ${sessions.jobId} is not null and ${jobHasEnded}`,
  /** Active for too long. */
  max_age: sql`${sessions.status} = 'active' and ${past(sessions.createdAt, sessions.timeoutSeconds)}`,
  /** Active, and nothing has happened for too long. */
  idle: sql`${sessions.status} = 'active' and ${past(sessions.lastActivityAt, sessions.idleTimeoutSeconds)}
    and not ${hasUnfinishedStep}`,
} satisfies Record<string, SQL>;

export type Deadline = keyof typeof deadlines;
