import { isDeepStrictEqual } from 'node:util';
import type { Step } from '@holdfast/specs/public';
import type { CodeAsk, Exchange } from '../clients/ledger.ts';
import { markOf } from '../clients/step-code.ts';
import { type Evidence, explains, type SessionEvidence, type Violation } from './evidence.ts';

type Asked = { ask: CodeAsk & { what: 'step' | 'job' }; exchanges: Exchange[] };

/** Compares the history of a session with the runs that its code wrote down. Pure. */
export function judgeSteps(evidence: Evidence, session: SessionEvidence): Violation[] {
  if (session.status !== 200) return [];
  const asked = askedByMark(evidence, session.id);
  const violations: Violation[] = [];
  const found = (rule: string, step: Step, detail: string) =>
    violations.push({ rule, sessionId: session.id, mark: markOf(step.code), detail: `${step.id}: ${detail}` });

  for (const step of session.history) {
    const mark = markOf(step.code);
    const ask = mark ? asked.get(mark)?.ask : undefined;
    const runs = (mark && evidence.runs.get(mark)) || 0;
    if (!ask) found('unknown step', step, `no client sent it: ${step.code.slice(0, 80)}`);
    else if (step.finishedAt === null) found('unfinished step', step, `it is ${step.status}`);
    else for (const [rule, detail] of faultsOf(evidence, { step, ask, runs })) found(rule, step, detail);
  }
  for (const [mark, steps] of Map.groupBy(session.history, ({ code }) => markOf(code))) {
    if (steps.length > 1) found('recorded twice', steps[0] as Step, `${mark} is in ${steps.length} rows`);
  }
  for (const [number, steps] of Map.groupBy(session.history, (step) => step.number)) {
    if (steps.length > 1) found('doubled number', steps[0] as Step, `${steps.length} steps have the number ${number}`);
  }
  for (const step of resetInSilence(session.history)) {
    found('memory reset in silence', step, `the count of context epoch ${step.contextEpoch} went back: ${step.stdout}`);
  }
  return [...violations, ...answersAgainstHistory(asked, session), ...lostInRecovery(session)];
}

/** The faults of one finished step: it must have one run exactly if it succeeded, its true output, and a cause for any other end. */
function* faultsOf(
  evidence: Evidence,
  { step, ask, runs }: { step: Step; ask: CodeAsk; runs: number },
): Generator<[rule: string, detail: string]> {
  const { status, cause } = step;
  const truth = ask.ends === 'raises' ? 'failed' : 'succeeded';
  const isNatural = cause === null && (status === 'succeeded' || status === 'failed');
  if (isNatural && status !== truth) yield ['untrue result', `${status}, but its code ${ask.ends}`];
  if (isNatural && runs !== 1) yield ['untrue result', `${status}, but it ran ${runs} times`];
  if (isNatural && !new RegExp(`^${ask.mark} \\d+\n$`).test(step.stdout)) {
    yield ['untrue result', `its output is ${JSON.stringify(step.stdout)}`];
  }
  if (status === 'failed' && isNatural && step.error?.message !== ask.mark) {
    yield ['untrue result', `its error is ${JSON.stringify(step.error)}`];
  }
  if (cause?.code === 'never_started' && runs > 0)
    yield ['ran, but is recorded as never started', `it ran ${runs} times`];
  if (!isNatural && !isExplained(evidence, step)) {
    yield ['no fault explains its end', `${status} ${JSON.stringify(cause)}, ran ${runs} times`];
  }
}

const sandboxKinds = ['agent-killed'] as const;
const reachKinds = ['agent-killed', 'agent-paused', 'agent-connections-cut', 'agent-connections-silent'] as const;
const kernelKinds = ['kernel-killed', 'agent-killed'] as const;

/** Whether a fault accounts for an end that is not the code's own. Pure. */
function isExplained(evidence: Evidence, { sessionId, queuedAt, finishedAt, cause }: Step): boolean {
  const during = { from: Date.parse(queuedAt), until: Date.parse(finishedAt ?? queuedAt) };
  const ofSession = { ...during, target: sessionId };
  switch (cause?.code) {
    case 'kernel_killed':
    case 'kernel_exited':
    case 'process_exited':
      return explains(evidence, { kinds: kernelKinds, ...ofSession });
    case 'sandbox_lost':
    case 'sandbox_exited':
      return explains(evidence, { kinds: sandboxKinds, ...ofSession }) || isEnding(evidence, ofSession);
    case 'session_ended':
    case 'context_deleted':
      return explains(evidence, { kinds: sandboxKinds, ...ofSession }) || isEnding(evidence, ofSession);
    case 'never_started':
      // A replica that was alive all the time knows whether it sent the step.
      return (
        explains(evidence, { kinds: ['replica-killed', 'replica-slept', 'second-deployment-restarted'], ...during }) ||
        explains(evidence, { kinds: reachKinds, ...ofSession })
      );
    default:
      return false;
  }
}

/** Whether the client itself asked to end the session, or one of its contexts, at that time. */
function isEnding({ exchanges }: Evidence, { target, from, until }: { target: string; from: number; until: number }) {
  return exchanges.some(
    ({ ask, askedAt, answeredAt }) =>
      ask.sessionId === target &&
      (ask.what === 'delete' || (ask.what === 'context' && ask.contextId !== null)) &&
      askedAt <= until &&
      (answeredAt ?? Number.POSITIVE_INFINITY) >= from,
  );
}

/** A count that the latest recovery does not report as lost goes on from the latest that was recorded before. */
function* lostInRecovery({ id, session, history }: SessionEvidence): Generator<Violation> {
  const { lastRecovery } = session ?? {};
  for (const { contextId, lost } of lastRecovery?.contexts ?? []) {
    if (lost.some(({ name }) => name === 'count' || name === '*')) continue;
    const counted = countedSteps(history).filter((step) => step.contextId === contextId);
    const before = counted.filter(({ epoch }) => epoch < (lastRecovery?.epoch ?? 0));
    const latest = before.toSorted((a, b) => a.epoch - b.epoch || (a.contextEpoch ?? 0) - (b.contextEpoch ?? 0)).at(-1);
    const sameMemory = before.filter(
      (step) => step.epoch === latest?.epoch && step.contextEpoch === latest.contextEpoch,
    );
    const first = counted
      .filter(({ epoch }) => epoch === lastRecovery?.epoch)
      .toSorted(
        (a, b) => (a.contextEpoch ?? 0) - (b.contextEpoch ?? 0) || (a.executionCount ?? 0) - (b.executionCount ?? 0),
      )[0];
    const reached = Math.max(0, ...sameMemory.map(countOf));
    if (first && countOf(first) <= reached) {
      const detail = `${contextId} had counted to ${reached}, and said ${first.stdout} after a recovery that did not report the loss`;
      yield { rule: 'state lost in silence', sessionId: id, detail };
    }
  }
}

const countedSteps = (history: readonly Step[]) =>
  history.filter((step) => step.job === null && step.cause === null && /^\S+ \d+\n$/.test(step.stdout));

const countOf = (step: Step) => Number(step.stdout.split(' ')[1]);

/** Steps whose context counts no further than before, although its epoch says that its memory survived. */
function resetInSilence(history: readonly Step[]): Step[] {
  const counted = history.filter((step) => step.job === null && /^\S+ \d+\n$/.test(step.stdout));
  const groups = Map.groupBy(counted, (step) => `${step.contextId}/${step.epoch}/${step.contextEpoch}`);
  return [...groups.values()].flatMap((steps) => {
    const inOrder = steps.toSorted((a, b) => (a.executionCount ?? 0) - (b.executionCount ?? 0));
    return inOrder.filter((step, index) => index > 0 && countOf(step) <= countOf(inOrder[index - 1] as Step));
  });
}

const endOfLostStep = 4294967295;

/** Everything that a client was told must be in the history as it was told. */
function* answersAgainstHistory(asked: Map<string, Asked>, { id, history }: SessionEvidence): Generator<Violation> {
  const byId = new Map(history.map((step) => [step.id, step]));
  for (const [mark, { ask, exchanges }] of asked) {
    const at = { sessionId: id, mark };
    const ids = new Set(exchanges.flatMap(({ answer }) => answer?.id ?? []));
    if (ids.size > 1) yield { rule: 'one key, several steps', ...at, detail: [...ids].join(', ') };
    for (const stepId of ids) {
      const step = byId.get(stepId);
      if (!step) yield { rule: 'answered, but not recorded', ...at, detail: `${stepId} is in no row` };
      else
        yield* exchanges.flatMap((exchange) =>
          [...differences(exchange, step)].map((detail) => ({
            rule: 'the answer differs from the record',
            ...at,
            detail,
          })),
        );
    }
    for (const { answer } of exchanges) {
      const { seqs = [], id: stepId } = answer ?? {};
      const isLost = byId.get(stepId ?? '')?.status === 'lost';
      // A lost step may have had any number of events, so its end stands behind all of them.
      const counted = isLost && seqs.at(-1) === endOfLostStep ? seqs.slice(0, -1) : seqs;
      if (counted.some((seq, index) => seq !== index + 1))
        yield { rule: 'a stream with gaps', ...at, detail: `events ${seqs.join(', ')}` };
    }
    if (ids.size === 0 && ask.key === null) yield* refusedButKnown(at, exchanges, history);
  }
}

function* differences({ answer }: Exchange, step: Step): Generator<string> {
  if (answer?.step && answer.step.finishedAt !== null && !isDeepStrictEqual(answer.step, step)) {
    yield `answered ${brief(answer.step)}, recorded ${brief(step)}`;
  }
  const { job } = answer ?? {};
  if (
    job &&
    (job.status !== step.status || job.stdout !== step.stdout || job.exitCode !== (step.job?.exitCode ?? null))
  ) {
    yield `answered ${JSON.stringify(job)}, recorded ${brief(step)}`;
  }
}

const brief = ({ status, stdout, cause, number, artifacts }: Step) =>
  JSON.stringify({ number, status, stdout, cause, artifacts: artifacts.length });

/** A refusal says that nothing happened. A row that says so as well does not contradict it. */
function* refusedButKnown(at: { sessionId: string; mark: string }, exchanges: Exchange[], history: readonly Step[]) {
  const refused = exchanges.find(({ answer }) => answer?.status && answer.status >= 400);
  const step = history.find(({ code }) => markOf(code) === at.mark);
  if (!refused || !step || step.cause?.code === 'never_started') return;
  yield { rule: 'refused, but recorded', ...at, detail: `${refused.answer?.code}, recorded ${brief(step)}` };
}

function askedByMark({ exchanges }: Evidence, sessionId: string): Map<string, Asked> {
  const asked = new Map<string, Asked>();
  for (const exchange of exchanges) {
    const { ask } = exchange;
    if (ask.sessionId !== sessionId || (ask.what !== 'step' && ask.what !== 'job')) continue;
    const known = asked.get(ask.mark) ?? { ask, exchanges: [] };
    known.exchanges.push(exchange);
    asked.set(ask.mark, known);
  }
  return asked;
}
