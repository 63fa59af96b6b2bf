import { codeIn, type FromExport, type LastRecovery, newId } from '@holdfast/specs/public';
import type { AgentTarget } from '../agent/agent-client.ts';
import type { SessionRow } from '../registry/schema/sessions.ts';
import { boundReport } from './bound-report.ts';
import { type LoadDependencies, loadContext } from './load-context.ts';

type Starting = { session: SessionRow; route: AgentTarget; exported: FromExport; signal: AbortSignal };

/**
 * Runs the code of an export in the default context of a new session, without showing its output.
 * @returns the names that it defined
 * @throws AgentError
 */
export async function startFromExport(
  deps: LoadDependencies,
  { session, route, exported, signal }: Starting,
): Promise<LastRecovery> {
  const { language, epoch } = session;
  const steps = codeIn(exported).map((code) => ({
    stepId: newId('stp'),
    contextId: language,
    language,
    code,
    status: 'succeeded' as const,
    replay: true,
  }));
  const state = { contextId: language, language, settings: { env: {} }, sha256: null, steps, isAllKnown: true };
  const { contextEpoch: _, ...report } = await loadContext(deps, { route, state, signal });
  const contexts = [{ contextId: language, language, ...report }];
  return boundReport({ epoch, time: new Date().toISOString(), contexts, omitted: 0 });
}
