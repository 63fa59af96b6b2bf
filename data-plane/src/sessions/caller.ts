import type { Scope } from '@holdfast/specs/public';

/** Who makes a request. `keyId` is null where development mode lets a request in without a key. */
export type Caller = { tenant: string; scopes: ReadonlySet<Scope>; keyId: string | null };
