import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type postgres from 'postgres';

type DatabaseUrl = {
  /** The URL without the parameters that are below. The driver would send them to the server as settings. */
  url: string;
  /** A host that replaces that of the URL, or the directory of a Unix socket, or null. */
  host: string | null;
  mode: (typeof modes)[number];
  /** The file of the authorities that are trusted; null: the public ones. */
  rootCertificates: string | null;
};

const modes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
const plainModes: readonly string[] = ['disable', 'allow', 'prefer'];

/** libpq's other parameters that demand something of the connection. We do not do it, so they must not be passed over. */
const unsupported = /^(ssl.*|requiressl|gss.*|channel_binding|require_auth|requirepeer)$/;

/**
 * The parameters of a database's URL, in libpq's meaning. Without `sslmode`, TLS is not used. Pure.
 * @throws Error whose message says what the URL must not have, and quotes no value
 */
export function parseDatabaseUrl(text: string): DatabaseUrl {
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text))
    fail('must be a URL that begins with postgres://, with special characters of the password in percent-encoding');
  const url = new URL(text);
  if (![url.username, url.password, url.pathname].every(isEncoded)) {
    fail('has a % that encodes nothing: write special characters of a password in percent-encoding, such as %25 for %');
  }
  const take = (name: string) => {
    const values = url.searchParams.getAll(name);
    if (values.length > 1) fail(`has ${name} more than once`);
    url.searchParams.delete(name);
    return values[0] || null;
  };
  const [host, asked, certificates] = [take('host'), take('sslmode') ?? 'disable', take('sslrootcert')];
  const mode = modes.find((known) => known === asked) ?? fail(`has an sslmode that is none of ${modes.join(', ')}`);
  const odd = [...url.searchParams.keys()].find((name) => unsupported.test(name));
  if (odd) fail(`has the parameter ${odd}, which is not supported: use sslmode and sslrootcert`);
  if (certificates && plainModes.includes(mode)) fail('has sslrootcert, which needs sslmode=verify-full');
  // Else everyone with a certificate of a public authority could answer.
  if (certificates === 'system' && mode !== 'verify-full')
    fail('has sslrootcert=system, which needs sslmode=verify-full');
  if (mode === 'verify-ca' && !certificates) fail('has sslmode=verify-ca, which needs sslrootcert');
  if (isSocket(host) && !plainModes.includes(mode))
    fail('has an sslmode that demands TLS, which a Unix socket does not have');
  return {
    url: url.href,
    host,
    mode: mode === 'require' && certificates ? 'verify-ca' : mode,
    rootCertificates: certificates === 'system' ? null : certificates,
  };
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

const isSocket = (host: string | null): boolean => host?.startsWith('/') === true;

function fail(message: string): never {
  throw new Error(message);
}

/**
 * The driver's option for TLS. The file is read now and not again.
 * @throws Error for the operator if the file cannot be used
 */
export function tlsOptions({
  host,
  mode,
  rootCertificates,
}: DatabaseUrl): postgres.Options<Record<never, never>>['ssl'] {
  if (mode === 'disable' || isSocket(host)) return false;
  if (mode === 'allow' || mode === 'prefer') return 'prefer';
  if (mode === 'require') return 'require';
  return {
    // Node's variable that accepts every certificate has no effect here.
    rejectUnauthorized: true,
    ...(rootCertificates && { ca: readCertificates(rootCertificates) }),
    ...(mode === 'verify-ca' && { checkServerIdentity: () => undefined }),
  };
}

/** Node takes a file without a certificate for none at all, and would then trust every public authority. */
function readCertificates(path: string): string {
  try {
    const certificates = readFileSync(path, 'utf8');
    new X509Certificate(certificates);
    return certificates;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const fault = code?.startsWith('ERR_') ? 'has no certificate in PEM' : `cannot be read (${code})`;
    throw new Error(`the file ${path}, which the database's URL names as sslrootcert, ${fault}`);
  }
}
