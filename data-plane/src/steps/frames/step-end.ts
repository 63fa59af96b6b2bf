import type { Done } from '@holdfast/specs/agent';
import type { Cause } from '@holdfast/specs/public';

/** How a step ended: as its agent reported, or as the data-plane had to conclude. */
export type StepEnd = Pick<Done, 'status' | 'stateSurvived' | 'durationMs' | 'cause'> | LostEnd;

export type LostEnd = { status: 'lost'; cause: Cause };

/** The end of a step about which nothing more can be learned. Pure. */
export const lostEnd = (code: Cause['code'], message?: string): LostEnd => ({
  status: 'lost',
  cause: message ? { code, message: message.slice(0, 2000) } : { code },
});
