/** Without a heartbeat for this long a replica counts as gone: several beats may be late before. */
export const replicaStaleSeconds = 15;
