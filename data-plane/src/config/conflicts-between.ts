type Given = Readonly<Record<string, string | undefined>>;

/** The faults between settings: a runtime and production refuse some variables and require others. Pure. */
export function conflictsBetween(given: Given): string[] {
  const onKubernetes = given.HOLDFAST_RUNTIME === 'kubernetes';
  const missing = (name: string) => onKubernetes && !given[name];
  return [
    ...(missing('DATABASE_URL') ? ['DATABASE_URL is required with HOLDFAST_RUNTIME=kubernetes'] : []),
    ...(missing('HOLDFAST_PROFILES_FILE')
      ? ['HOLDFAST_PROFILES_FILE is required with HOLDFAST_RUNTIME=kubernetes']
      : []),
    ...(given.HOLDFAST_MIGRATION_DATABASE_URL
      ? ['HOLDFAST_MIGRATION_DATABASE_URL is for the command migrate alone: a data-plane that serves must not have it']
      : []),
    ...['HOLDFAST_NEXT_TRANSFER_KEY', 'HOLDFAST_PREVIOUS_TRANSFER_KEY']
      .filter((name) => given[name] && !given.HOLDFAST_TRANSFER_KEY)
      .map((name) => `HOLDFAST_TRANSFER_KEY is required with ${name}`),
    ...faultsOfS3(given),
    ...faultsOfOidc(given),
    ...(given.HOLDFAST_ENV === 'development' ? [] : faultsInProduction(given)),
  ];
}

/** Without an audience, tokens that the issuer made for other services would be taken. */
function faultsOfOidc(given: Given): string[] {
  const [first] = Object.keys(given).filter((name) => name.startsWith('HOLDFAST_OIDC_'));
  if (first === undefined) return [];
  return ['HOLDFAST_OIDC_ISSUER', 'HOLDFAST_OIDC_AUDIENCE']
    .filter((name) => !given[name])
    .map((name) => `${name} is required with ${given.HOLDFAST_OIDC_ISSUER ? 'HOLDFAST_OIDC_ISSUER' : first}`);
}

const s3Keys = ['HOLDFAST_S3_ACCESS_KEY_ID', 'HOLDFAST_S3_SECRET_ACCESS_KEY'] as const;

/** Half a configuration would store files in another place than was meant. */
function faultsOfS3(given: Given): string[] {
  const names = Object.keys(given).filter((name) => name.startsWith('HOLDFAST_S3_'));
  const [missing, ...more] = s3Keys.filter((name) => !given[name]);
  return [
    ...(names.length > 0 && !given.HOLDFAST_S3_BUCKET ? [`HOLDFAST_S3_BUCKET is required with ${names[0]}`] : []),
    ...(missing && more.length === 0 ? [`${missing} is required with ${s3Keys.find((name) => name !== missing)}`] : []),
  ];
}

/** The key of the kind overlay, which is public. */
const publicApiKey = 'holdfast-development-key-0000';

function faultsInProduction(given: Given): string[] {
  const skipsAuth = given.HOLDFAST_INSECURE_SKIP_AGENT_AUTH === 'true';
  const isPlain = (name: string) => given[name]?.startsWith('http:') === true;
  const faults = {
    'HOLDFAST_OIDC_ISSUER must begin with https:// outside of HOLDFAST_ENV=development':
      isPlain('HOLDFAST_OIDC_ISSUER'),
    'HOLDFAST_OIDC_JWKS_URL must begin with https:// outside of HOLDFAST_ENV=development':
      isPlain('HOLDFAST_OIDC_JWKS_URL'),
    'HOLDFAST_PUBLIC_URL is required with HOLDFAST_OIDC_ISSUER: clients ask for tokens by that address':
      !!given.HOLDFAST_OIDC_ISSUER && !given.HOLDFAST_PUBLIC_URL,
    'HOLDFAST_RUNTIME is process, which does not isolate code: it runs only with HOLDFAST_ENV=development':
      (given.HOLDFAST_RUNTIME ?? 'process') === 'process',
    'HOLDFAST_INSECURE_SKIP_AGENT_AUTH is refused outside of HOLDFAST_ENV=development': skipsAuth,
    'DATABASE_URL is required: the embedded Postgres runs only with HOLDFAST_ENV=development':
      !given.DATABASE_URL && given.HOLDFAST_RUNTIME !== 'kubernetes',
    'HOLDFAST_BOOTSTRAP_API_KEY is the public one of development: it is refused outside of HOLDFAST_ENV=development':
      given.HOLDFAST_BOOTSTRAP_API_KEY === publicApiKey,
    'HOLDFAST_SIGNING_KEY is required: it is made for you only with HOLDFAST_ENV=development':
      !given.HOLDFAST_SIGNING_KEY && !skipsAuth,
    'HOLDFAST_ENCRYPTION_KEY is required: it is made for you only with HOLDFAST_ENV=development':
      !given.HOLDFAST_ENCRYPTION_KEY,
  };
  return Object.entries(faults).flatMap(([text, applies]) => (applies ? [text] : []));
}
