import type { Evidence, Violation } from './evidence.ts';
import { judgeAnswers } from './judge-answers.ts';
import { judgeAudit } from './judge-audit.ts';
import { judgeBudgets } from './judge-budgets.ts';
import { judgeFiles } from './judge-files.ts';
import { judgeSessions } from './judge-sessions.ts';
import { judgeSteps } from './judge-steps.ts';

/** Every difference between the truth and the product that no fault explains. Pure. */
export function judge(evidence: Evidence): Violation[] {
  return [
    ...evidence.unrest.map((detail) => ({ rule: 'not at rest', sessionId: null, detail })),
    ...judgeAnswers(evidence),
    ...evidence.sessions.flatMap((session) => [
      ...judgeSessions(evidence, session),
      ...judgeSteps(evidence, session),
      ...judgeBudgets(session),
      ...judgeAudit(session),
      ...judgeFiles(evidence, session),
    ]),
    ...evidence.leftovers.map((detail) => ({ rule: 'left behind', sessionId: null, detail })),
  ];
}
