import type { Scope } from '@holdfast/specs/public';

/** The client that makes a request. `keyId` is null if development mode lets a request in without a key. */
export type Caller = { tenant: string; scopes: ReadonlySet<Scope>; keyId: string | null };
