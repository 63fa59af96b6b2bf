import type { RecoverContext } from '@holdfast/specs/agent';
import type { Seal } from '../keys/seal.ts';
import type { ContextRow } from '../registry/schema/contexts.ts';

/** The settings that a client gave a context when it created it. */
export type ContextSettings = Pick<RecoverContext, 'cwd' | 'env' | 'limits'>;

/** The settings for the same context in another sandbox. A default context has no row, and no settings. */
export async function contextSettings(seal: Pick<Seal, 'open'>, row: ContextRow | null): Promise<ContextSettings> {
  const sealed = row?.settings ? JSON.parse(await seal.open(row.settings)) : {};
  return { env: {}, ...(row && { cwd: row.cwd }), ...sealed };
}
