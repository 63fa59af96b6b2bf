import { entryOf } from '../../policy/audit/asked-by.ts';
import { recordAudit } from '../../registry/audit/record-audit.ts';
import { type FollowedLog, followLog, type LogDependencies } from './follow-log.ts';

/**
 * Follows the log of a process for a client that also writes to it. The audit log has an entry for the channel, and none for each key that is pressed.
 * @throws Problem 404, 410 (deleted session)
 */
export async function openChannel(deps: LogDependencies, input: Parameters<typeof followLog>[1]): Promise<FollowedLog> {
  const { caller, sessionId, processId } = input;
  const log = await followLog(deps, input);
  await recordAudit(deps.db, entryOf(caller, sessionId, { operation: 'process.channel', processId }));
  return log;
}
