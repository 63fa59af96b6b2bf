import { newId } from '@holdfast/specs/public';

/** The name of a session's sandbox in one epoch: a DNS label, made of nothing that a tenant chose. */
export const sandboxName = (sessionId: string, epoch: number) => `${sessionId.replace('_', '-')}-${epoch}`;

/** A name for a sandbox that belongs to nobody yet; never used twice. */
export const newWarmSandboxName = () => newId('warm').replace('_', '-');
