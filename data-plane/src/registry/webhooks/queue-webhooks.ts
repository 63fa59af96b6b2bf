import type { WebhookEvent } from '@holdfast/specs/public';
import type { Queries } from '../queries.ts';

type Ended = {
  sessionId: string;
  event: WebhookEvent;
  subjectId: string;
  content: { status: string } & Record<string, unknown>;
};

/** Queues an end for the webhooks of its session that want it. Called in the transaction that records the end. Triggers do so for steps and sessions. */
export async function queueWebhooks({ sql }: Queries, { sessionId, event, subjectId, content }: Ended): Promise<void> {
  await sql`select queue_webhooks(${sessionId}, ${event}, ${subjectId}, ${JSON.stringify(content)}::text::jsonb)`;
}
