import type { TerminalSize } from '@holdfast/specs/public';
import type { Queries } from '../queries.ts';

type Resized = { sessionId: string; processId: string; size: TerminalSize };

/** Records the size that the terminal of a running process has now. */
export async function noteTerminalSize({ sql }: Queries, { sessionId, processId, size }: Resized): Promise<void> {
  await sql`
    update processes set terminal = ${JSON.stringify(size)}::text::jsonb
    where id = ${processId} and session_id = ${sessionId} and status = 'running'`;
}
