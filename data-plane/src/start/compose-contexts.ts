import { completeCode, inspectCode, parseCode } from '../contexts/code-help.ts';
import { createContext } from '../contexts/create-context.ts';
import { deleteContext } from '../contexts/delete-context.ts';
import { getSessionContext } from '../contexts/get-session-context.ts';
import { listBackground } from '../contexts/list-background.ts';
import { listContexts } from '../contexts/list-contexts.ts';
import { restartContext } from '../contexts/restart-context.ts';
import type { Verbs } from '../http/v1/verbs.ts';
import { listProfileLanguages } from '../languages/list-profile-languages.ts';
import { listSessionLanguages } from '../languages/list-session-languages.ts';
import type { Core } from './compose-core.ts';
import type { Reconciling } from './compose-reconciling.ts';

/** The verbs of contexts and their languages. */
export function composeContexts(core: Core, { reconciler }: Reconciling) {
  const deps = { ...core, hint: reconciler.hint };
  return {
    getSessionContext: (input) => getSessionContext(deps, input),
    createContext: (input) => createContext(deps, input),
    listContexts: (input) => listContexts(deps, input),
    deleteContext: (input) => deleteContext(deps, input),
    restartContext: (input) => restartContext(deps, input),
    completeCode: (input) => completeCode(deps, input),
    inspectCode: (input) => inspectCode(deps, input),
    parseCode: (input) => parseCode(deps, input),
    listBackground: (input) => listBackground(deps, input),
    listProfileLanguages: (input) => listProfileLanguages(deps, input),
    listSessionLanguages: (input) => listSessionLanguages(deps, input),
  } satisfies Partial<Verbs>;
}
