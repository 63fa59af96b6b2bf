import { setTimeout as pause } from 'node:timers/promises';
import type { Session, SessionEvent, Step, StepEvent } from '@holdfast/sdk';
import { latest } from './latest.ts';

export type Head = Pick<
  Step,
  'id' | 'number' | 'actor' | 'actorName' | 'language' | 'code' | 'queuedAt' | 'finishedAt'
>;

/** Without the output, of which a long history has much; it comes with the events. */
export async function* heads(steps: AsyncIterable<Step>): AsyncGenerator<Head> {
  for await (const { id, number, actor, actorName, language, code, queuedAt, finishedAt } of steps) {
    yield { id, number, actor, actorName, language, code, queuedAt, finishedAt };
  }
}

export type Show = (event: SessionEvent | StepEvent, step?: Head) => Promise<void>;

type Latest = { show: Show; last: number };

/** Shows the latest steps, without those that have not ended, which are the answer. */
export async function showLatest(session: Session, { show, last }: Latest): Promise<Head[]> {
  const steps = await latest(heads(session.steps.list({ order: 'desc' })), last);
  for (const step of steps) if (step.finishedAt !== null) await showStep(session, { show, step });
  return steps;
}

async function showStep(session: Session, { show, step }: { show: Show; step: Head }): Promise<void> {
  for await (const event of session.steps.follow(step.id))
    await show(event, event.type === 'started' ? step : undefined);
}

const beginMs = 1000;

/** The stream begins with what runs then, so it is asked for before the list; steps that have ended between both are looked for afterwards. */
export async function showLatestAndFollow(session: Session, { show, last }: Latest): Promise<void> {
  const over = new AbortController();
  try {
    const events = session.events({ from: 'now', signal: over.signal });
    const first = events.next();
    const begun = first.catch(() => {});
    const steps = await showLatest(session, { show, last });
    await Promise.race([begun, pause(beginMs)]);
    const missed = await listMissed(session, steps);
    for (const step of missed) await showStep(session, { show, step });
    const shown = new Set(missed.map(({ id }) => id));
    for (let next = await first; !next.done; next = await events.next()) {
      const event = next.value;
      if (event.type !== 'session' && shown.has(event.stepId)) continue;
      await show(event, event.type === 'started' ? await session.steps.get(event.stepId) : undefined);
    }
  } finally {
    over.abort();
  }
}

/** The steps that have ended since a list of the latest ones. */
async function listMissed(session: Session, listed: Head[]): Promise<Head[]> {
  const shown = new Set(listed.filter(({ finishedAt }) => finishedAt !== null).map(({ id }) => id));
  const since = listed.find(({ finishedAt }) => finishedAt === null)?.number ?? (listed.at(-1)?.number ?? 0) + 1;
  const missed: Head[] = [];
  for await (const step of heads(session.steps.list({ order: 'desc' }))) {
    if ((step.number ?? 0) < since) break;
    if (step.finishedAt !== null && !shown.has(step.id)) missed.unshift(step);
  }
  return missed;
}
