import { homedir } from 'node:os';
import { join } from 'node:path';

/** The variables that the command line reads. The client reads `HOLDFAST_API_KEY` by itself. */
export function readEnvironment() {
  const { HOLDFAST_URL, HOLDFAST_API_KEY, HOLDFAST_SERVER, XDG_CONFIG_HOME, XDG_STATE_HOME, TERM, TERM_PROGRAM } =
    process.env;
  return {
    url: HOLDFAST_URL || undefined,
    apiKey: HOLDFAST_API_KEY || undefined,
    server: HOLDFAST_SERVER || undefined,
    configFolder: join(XDG_CONFIG_HOME || join(homedir(), '.config'), 'holdfast'),
    stateFolder: join(XDG_STATE_HOME || join(homedir(), '.local/state'), 'holdfast'),
    terminal: { name: TERM ?? '', program: TERM_PROGRAM ?? '' },
  };
}

/** The environment of a server that this program starts: its own, and what options say, for development as with `npm start`. */
export function serverEnvironment(options: Record<string, string | undefined>): NodeJS.ProcessEnv {
  // The server rejects settings that it does not know, and these are those of a client.
  const { HOLDFAST_URL, HOLDFAST_API_KEY, HOLDFAST_SERVER, ...rest } = process.env;
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return { HOLDFAST_ENV: 'development', ...rest, ...Object.fromEntries(given) };
}
