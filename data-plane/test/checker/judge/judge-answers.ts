import type { Evidence, Violation } from './evidence.ts';

/** Faults that a single answer shows, and facts that are independent of what became of the session. Pure. */
export function* judgeAnswers({ exchanges, runs }: Evidence): Generator<Violation> {
  const created = new Map<string, string>();
  for (const { ask, answer, client } of exchanges) {
    const at = {
      sessionId: ask.sessionId,
      mark: 'mark' in ask ? ask.mark : null,
      ...('path' in ask && { path: ask.path }),
    };
    const said = `${client}: ${ask.what} answered ${answer?.status} ${answer?.code}`;
    if (!answer) yield { rule: 'no answer', ...at, detail: said };
    else if (answer.status === 500) yield { rule: 'internal error', ...at, detail: said };
    else if (answer.status === 401 || answer.status === 403) yield { rule: 'unknown caller', ...at, detail: said };
    else if (answer.status === 404 && isOfSession(ask.what)) yield { rule: 'forgotten session', ...at, detail: said };
    if (ask.what !== 'create' || !answer?.id) continue;
    const first = created.get(ask.key) ?? answer.id;
    created.set(ask.key, first);
    if (first !== answer.id) yield { rule: 'one key, several sessions', ...at, detail: `${first} and ${answer.id}` };
  }
  for (const [mark, count] of runs) {
    if (count > 1) yield { rule: 'ran twice', sessionId: null, mark, detail: `${mark} ran ${count} times` };
  }
}

/** Paths and contexts can be missing; the session of a client cannot. */
const isOfSession = (what: string) => ['step', 'job', 'read', 'delete'].includes(what);
