/** The variables by which package installers and HTTP clients find registries, proxies and certificates. */
const settings = [
  /^npm_config_/i,
  /^(PIP|UV|YARN|BUN_CONFIG)_/,
  /^(HTTPS?|FTP|ALL|NO)_PROXY$/i,
  /^(SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|NODE_USE_ENV_PROXY|NODE_USE_SYSTEM_CA|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE)$/,
  // The folder of pip's and uv's configuration files.
  /^XDG_CONFIG_HOME$/,
];

/** Set by npm for the scripts that it runs, such as `npm start`: they are about that script's package and npm's own program. */
const ofRunningNpm = /^npm_config_(local_prefix|global_prefix|node_gyp|npm_version|user_agent|frozen_lockfile)$/i;

/** The variables of this machine by which code in a sandbox installs packages as it would outside. They may hold passwords. Pure. */
export function registrySettings(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const found = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      Boolean(entry[1]) && settings.some((setting) => setting.test(entry[0])) && !ofRunningNpm.test(entry[0]),
  );
  return Object.fromEntries(found);
}
