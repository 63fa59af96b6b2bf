import { insertionOf, type NewAuditEntry } from '../audit/record-audit.ts';
import type { Queries } from '../queries.ts';
import type { KeptAnswerRow } from '../schema/kept-answers.ts';

/** Calls that the data-plane has answered: their entries of the audit log, and their answers for a replay. */
export type RecordedCalls = { entries: readonly NewAuditEntry[]; answers: readonly KeptAnswerRow[] };

/** Records both in one statement. A call that has an answer keeps it. */
export async function recordCalls({ sql }: Queries, { entries, answers }: RecordedCalls): Promise<void> {
  await sql`
    with kept as (
      insert into kept_answers (session_id, step_id, call, name, digest, answer)
      select r.session_id, step_id, call, name, decode(digest, 'hex'), answer
      from jsonb_to_recordset(${JSON.stringify(answers.map(named))}::text::jsonb) as r(
        session_id text, step_id text, call int, name text, digest text, answer text)
      join sessions on sessions.id = r.session_id
      on conflict do nothing
    )
    ${insertionOf({ sql }, entries)}`;
}

const named = ({ sessionId, stepId, call, name, digest, answer }: KeptAnswerRow) => ({
  session_id: sessionId,
  step_id: stepId,
  call,
  name,
  digest: digest.toString('hex'),
  answer,
});
