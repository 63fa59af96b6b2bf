import type { Exchange } from './clients/ledger.ts';
import { type FaultKind, type FaultRecord, faultKinds } from './faults/fault.ts';
import { timesMin } from './faults/run-faults.ts';
import type { Violation } from './judge/evidence.ts';
import type { Round } from './run-round.ts';

const violationsShown = 20;
const exchangesShown = 8;

/** The kinds that happened too seldom for the round to prove anything about them. */
export function missingFaults({ evidence: { faults } }: Round, kinds: readonly FaultKind[] = faultKinds): string[] {
  const count = (kind: FaultKind) => faults.filter((fault) => fault.kind === kind).length;
  return kinds.filter((kind) => count(kind) < timesMin).map((kind) => `${kind} happened ${count(kind)} times`);
}

/** What a person needs to understand a failed round and to repeat it. */
export function report({ evidence, violations }: Round, { seed }: { seed: string }): string {
  const { exchanges, faults } = evidence;
  const begin = exchanges[0]?.askedAt ?? 0;
  const rules = [...Map.groupBy(violations, ({ rule }) => rule)].map(([rule, all]) => `${all.length} × ${rule}`);
  return [
    `${violations.length} violations with HOLDFAST_CHECKER_SEED=${seed}: ${rules.join(', ')}`,
    ...violations.slice(0, violationsShown).map((violation) => describe(violation, { exchanges, faults, begin })),
  ].join('\n\n');
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
