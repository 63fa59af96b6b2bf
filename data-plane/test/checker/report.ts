import type { Exchange } from './clients/ledger.ts';
import { type FaultKind, type FaultRecord, faultKinds } from './faults/fault.ts';
import { timesMin } from './faults/run-faults.ts';
import type { Violation } from './judge/evidence.ts';
import type { Round } from './run-round.ts';

const examplesPerRule = 3;
const exchangesShown = 8;
const workMin = { create: 2, put: 5, move: 3, job: 1, succeeded: 10 };

/** The kinds that happened too seldom for the round to prove anything about them. */
export function missingFaults({ evidence: { faults } }: Round, kinds: readonly FaultKind[] = faultKinds): string[] {
  const count = (kind: FaultKind) => faults.filter((fault) => fault.kind === kind).length;
  return kinds.filter((kind) => count(kind) < timesMin).map((kind) => `${kind} happened ${count(kind)} times`);
}

/** Work that was done too seldom for the round to prove anything, faults or not. */
export function missingWork({ evidence: { exchanges, sessions } }: Round): string[] {
  const done = (what: string) => exchanges.filter(({ ask, answer }) => ask.what === what && answer?.status).length;
  const succeeded = sessions.flatMap(({ history }) => history.filter(({ status }) => status === 'succeeded')).length;
  return Object.entries(workMin)
    .map(([what, min]) => ({ what, min, count: what === 'succeeded' ? succeeded : done(what) }))
    .flatMap(({ what, min, count }) => (count < min ? [`${what}: ${count}`] : []));
}

/** Everything that a person needs to understand a failed round and to repeat it. */
export function report({ evidence, violations }: Round, { seed }: { seed: string }): string {
  const { exchanges, faults } = evidence;
  const begin = exchanges[0]?.askedAt ?? 0;
  const byRule = Map.groupBy(violations, ({ rule }) => rule);
  const rules = [...byRule].map(([rule, all]) => `${all.length} × ${rule}`);
  return [
    `${violations.length} violations with HOLDFAST_CHECKER_SEED=${seed}: ${rules.join(', ')}`,
    ...[...byRule.values()]
      .flatMap((all) => examplesOf(all))
      .map((violation) => describe(violation, { exchanges, faults, begin })),
  ].join('\n\n');
}

/** Examples of different pieces of work. */
function examplesOf(violations: readonly Violation[]): Violation[] {
  const bySubject = Map.groupBy(violations, ({ sessionId, mark, path, detail }) => path ?? mark ?? sessionId ?? detail);
  return [...bySubject.values()].map(([first]) => first as Violation).slice(0, examplesPerRule);
}

type Given = { exchanges: readonly Exchange[]; faults: readonly FaultRecord[]; begin: number };

function describe({ rule, sessionId, mark, path, detail }: Violation, { exchanges, faults, begin }: Given): string {
  const concerns = ({ ask, answer }: Exchange): boolean => {
    if (mark) return 'mark' in ask && ask.mark === mark;
    if (path) return ask.sessionId === sessionId && 'path' in ask && [ask.path, 'to' in ask && ask.to].includes(path);
    return sessionId !== null && (ask.sessionId === sessionId || answer?.id === sessionId);
  };
  const excerpt = exchanges.filter(concerns).slice(-exchangesShown);
  const from = (excerpt[0]?.askedAt ?? begin) - 5000;
  const until = Math.max(...excerpt.map(({ answeredAt }) => answeredAt ?? 0)) + 5000;
  const around = faults.filter((fault) => fault.from <= until && fault.until >= from);
  const time = (at: number | null) => (at === null ? 'never' : `${((at - begin) / 1000).toFixed(2)} s`);
  return [
    `${rule}: ${detail}`,
    ...(sessionId ? [`  session ${sessionId}`] : []),
    ...excerpt.map(({ client, ask, answer, askedAt, answeredAt }) => {
      const { status, code, id, step } = answer ?? {};
      const said = JSON.stringify({ status, code, id, step: step?.status, cause: step?.cause?.code });
      return `  ${time(askedAt)} ${client} asked ${JSON.stringify(ask)}\n  ${time(answeredAt)} answered ${said}`;
    }),
    ...around.map(
      ({ kind, target, proof, ...fault }) =>
        `  ${time(fault.from)} to ${time(fault.until)} ${kind} of ${target}: ${proof}`,
    ),
  ].join('\n');
}

/** One line: how much was asked, and what became of it. */
export function summary({ evidence: { exchanges, sessions, faults, runs }, violations }: Round): string {
  const answers = Map.groupBy(exchanges, ({ ask, answer }) => `${ask.what} ${answer?.status ?? answer?.code}`);
  const steps = Map.groupBy(
    sessions.flatMap(({ history }) => history),
    ({ status, cause }) => [status, cause?.code ?? ''].join(' ').trim(),
  );
  const count = (groups: Map<string, unknown[]>) =>
    [...groups]
      .map(([name, all]) => `${all.length} ${name}`)
      .toSorted()
      .join(', ');
  const recovered = sessions.flatMap(({ session }) => session?.lastRecovery?.contexts ?? []);
  return [
    `${exchanges.length} requests: ${count(answers)}`,
    `${runs.size} runs in ${sessions.length} sessions; recorded steps: ${count(steps)}`,
    `${recovered.length} contexts recovered, of which ${recovered.filter(({ lost }) => lost.length === 0).length} lost nothing`,
    `${faults.length} faults, ${violations.length} violations`,
  ].join('\n');
}
