import type { Step } from '@holdfast/specs/public';
import type { Exchange } from './load.ts';
import type { Replica } from './stage.ts';

/** Everything about one session that must agree. */
type Evidence = { sessionId: string; ran: string[]; history: Step[]; exchanges: Exchange[] };

/** Compares the answers that clients got with the history, and the history with the memory of the code. Returns what is not true. */
export function untrue({ sessionId, ran, history, exchanges }: Evidence): string[] {
  const found: string[] = [];
  const check = (isTrue: boolean, text: string) => void (isTrue || found.push(`${sessionId}: ${text}`));
  const rows = Map.groupBy(history, markOf);
  check(new Set(ran).size === ran.length, `code ran twice: ${ran.length - new Set(ran).size}`);
  for (const mark of ran) check(rows.get(mark)?.length === 1, `${mark} ran, and has ${rows.get(mark)?.length} rows`);
  const own = history.filter((step) => markOf(step) !== '');
  for (const step of own) {
    const mark = markOf(step);
    check(step.status === 'succeeded', `${mark} is ${step.status}: ${step.cause?.code}`);
    check(ran.includes(mark), `${mark} has a row and did not run`);
  }
  check(
    history.every(({ number }, index) => index === 0 || Number(number) > Number(history[index - 1]?.number)),
    `the numbers are ${history.map(({ number }) => number)}`,
  );
  for (const { kind, mark, status, stepId, step, problem } of exchanges) {
    if (kind === 'upload' || kind === 'read') continue;
    const [row] = rows.get(mark) ?? [];
    if (status >= 400) {
      check(kind === 'keyed' || (!row && !ran.includes(mark)), `${mark} was refused with ${problem}, and ran`);
      continue;
    }
    check(stepId !== null && step?.status === 'succeeded', `${kind} ${mark} got ${stepId}: ${step?.status}`);
    check(row !== undefined && row.id === stepId, `${mark} was answered as ${stepId}, and is recorded as ${row?.id}`);
    check(JSON.stringify(step?.results) === JSON.stringify(row?.results), `${mark} has another result now`);
  }
  return found;
}

/** Empty for code that is not of the load. */
const markOf = ({ code }: Step): string => /\n'(m\d+)'$/.exec(code)?.[1] ?? '';

/** The marks in the memory of the session's default context. */
export async function marksOf(replica: Replica, sessionId: string): Promise<string[]> {
  const { stdout } = await replica.runStep(sessionId, { code: "print(' '.join(ran))" });
  return stdout.split(/\s+/).filter((mark) => mark !== '');
}

/** Answers that came too late, and errors that are not refusals with the time of the next attempt. */
export function wronglyRefused(exchanges: readonly Exchange[]): Exchange[] {
  const isRefused = ({ status }: Exchange) => status >= 400;
  const isStep = ({ kind }: Exchange) => kind !== 'upload' && kind !== 'read';
  return exchanges.filter((exchange) => {
    if (!isRefused(exchange)) return !isStep(exchange) && exchange.tookMs > refusedWithinMs;
    const { status, retryAfter, tookMs } = exchange;
    return ![503, 429].includes(status) || retryAfter === null || tookMs > refusedWithinMs;
  });
}

const refusedWithinMs = 5000;
