import { newId } from '@holdfast/specs/public';

/** The name of a session's sandbox in one epoch: a DNS label that contains nothing a tenant chose. */
export const sandboxName = (sessionId: string, epoch: number) => `${sessionId.replace('_', '-')}-${epoch}`;

/** A name for a warm sandbox, which belongs to no session yet. No name is used twice. */
export const newWarmSandboxName = () => newId('warm').replace('_', '-');
