import { codeIn, type FromExport, type LastRecovery, languagesWithSnapshots, newId } from '@holdfast/specs/public';
import type { AgentClient, AgentTarget } from '../agent/agent-client.ts';
import type { Logger } from '../observability/logger.ts';
import type { SessionRow } from '../registry/schema/sessions.ts';
import { boundReport } from './bound-report.ts';
import { isOfState, type LoadDependencies, loadContext } from './load-context.ts';
import { type SnapshotDependencies, takeSnapshot } from './take-snapshot.ts';

export type StartFromExportDependencies = LoadDependencies &
  SnapshotDependencies & { agents: Pick<AgentClient, 'call' | 'pull'>; log: Pick<Logger, 'warn'> };

type Starting = { session: SessionRow; route: AgentTarget; exported: FromExport; signal: AbortSignal };
type Report = LastRecovery['contexts'][number];

/**
 * Runs the code of an export in the default context of a new session, without showing its output, and saves the state that this makes: a replay of the
 * session starts from there. Code that ends the kernel leaves an empty context, and a report that says so.
 * @returns the names that it defined
 * @throws AgentError
 */
export async function startFromExport(
  deps: StartFromExportDependencies,
  { session, route, exported, signal }: Starting,
): Promise<LastRecovery> {
  const { language, epoch } = session;
  const context = { contextId: language, language };
  const cells = codeIn(exported).map((one) => ({ ...one, ...context, stepId: newId('stp'), replay: true }));
  const state = { ...context, settings: { env: {} }, sha256: null, steps: cells, isAllKnown: true };
  const loaded = await loadContext(deps, { route, state, signal }).catch((error) => {
    if (!isOfState(error)) throw error;
    const lostReason = `The code of the export could not run to its end: ${error.message}`.slice(0, 512);
    return loadContext(deps, { route, state: { ...state, lostReason }, signal });
  });
  if (languagesWithSnapshots.has(language)) {
    await takeSnapshot(deps, { ...context, route, signal, origin: 'base' }).catch((err) => {
      deps.log.warn({ sessionId: session.id, err }, 'the state that an export made could not be saved');
    });
  }
  const contexts = [{ ...context, ...withCells(loaded, cells) }];
  return boundReport({ epoch, time: new Date().toISOString(), contexts, omitted: 0 });
}

type Cell = { stepId: string; number: number };

/** A kernel explains what it lost as after a recovery. A new session has no snapshot, and its cells have not run before. */
const wordsOfRecovery: readonly (readonly [RegExp, string])[] = [
  [/ ran after the snapshot and may have changed it$/, ' did not run to its end and may define it'],
  [/^a step that can change any name ran after the snapshot/, 'a cell that can change any name did not run to its end'],
  [/^the step ended as succeeded, and now it /, 'it '],
  [/^the step /, 'it '],
];

const inWordsOfCells = (reason: string) =>
  wordsOfRecovery.reduce((text, [of, instead]) => text.replace(of, instead), reason);

/** Names the cells of the export instead of steps, which do not exist. */
function withCells<T extends Pick<Report, 'lost' | 'stopped'>>(report: T, cells: readonly Cell[]): T {
  const nameOf = new Map(cells.map(({ stepId, number }) => [stepId, `cell ${number} of the export`]));
  const named = (text: string) => text.replace(/(?:step )?(stp_\w+)/g, (all, id: string) => nameOf.get(id) ?? all);
  const { lost, stopped } = report;
  return {
    ...report,
    lost: lost.map(({ name, reason }) => ({ name, reason: inWordsOfCells(named(reason)) })),
    stopped: stopped && {
      ...stopped,
      reason: `${named(stopped.stepId)}: ${inWordsOfCells(stopped.reason)}`.slice(0, 512),
    },
  };
}
