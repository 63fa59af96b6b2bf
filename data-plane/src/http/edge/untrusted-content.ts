/** Headers of bytes that were written by code which nobody trusts: no browser may take them for a page of this server. */
export const untrustedContent = { 'Content-Security-Policy': "sandbox; default-src 'none'" } as const;
