import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { readEnvironment, serverEnvironment } from '../environment.ts';
import { Failure } from '../failures/failure.ts';
import { findCheckout } from '../server/find-checkout.ts';
import { installPackedServer } from '../server/install-packed-server.ts';
import { whole } from './option-values.ts';

type UpOptions = { port?: number; dataDir?: string };

export function addUp(program: Command): void {
  program
    .command('up')
    .description('start a server on this machine, until Ctrl-C')
    .option('--port <number>', 'default: HOLDFAST_PORT, or 8080', whole)
    .option('--data-dir <path>', 'its database, keys and sandboxes; default: HOLDFAST_DATA_DIR, or .holdfast')
    .addHelpText('after', examples)
    .action(async (options: UpOptions) => {
      process.exitCode = await up(options);
    });
}

const examples = `
Examples:
  $ holdfast up
  $ holdfast up --port 9000 --data-dir ~/.local/share/holdfast

In a checkout of Holdfast it does the same as \`npm start\`. Elsewhere it needs the package @holdfast/server, on Linux with Node 24 and Python 3.
Every variable of the server's configuration works. Code runs as plain processes with your rights, so run only code that you trust;
HOLDFAST_RUNTIME=container isolates it.`;

async function up({ port, dataDir }: UpOptions): Promise<number> {
  const { command, args, cwd } = await serverProgram(process.cwd());
  const env = serverEnvironment({
    HOLDFAST_PORT: port === undefined ? undefined : String(port),
    HOLDFAST_DATA_DIR: dataDir === undefined ? undefined : resolve(dataDir),
  });
  const server = spawn(command, args, { cwd, stdio: 'inherit', env });
  // This program waits until the server has stopped everything. If the terminal has sent Ctrl-C to both, the server takes it for one.
  const passOn = (signal: NodeJS.Signals) => void server.kill(signal);
  process.on('SIGTERM', passOn).on('SIGHUP', passOn).on('SIGINT', passOn);
  const [code, signal] = (await once(server, 'exit')) as [number | null, NodeJS.Signals | null];
  return code ?? 128 + (signal ? constants.signals[signal] : 0);
}

/** As in `npm start`. */
const nodeOptions = ['--disable-sigusr1', '--max-semi-space-size=8', '--heap-growing-percent=200'];

async function serverProgram(current: string): Promise<{ command: string; args: string[]; cwd: string }> {
  const checkout = await findCheckout(current);
  if (checkout) return { command: 'npm', args: ['start', '--silent'], cwd: checkout };
  const main = await installPackedServer(current, readEnvironment().stateFolder);
  if (main) return { command: process.execPath, args: [...nodeOptions, main], cwd: current };
  throw new Failure(
    'the server is not installed: `npm install --global @holdfast/server` installs it (Linux, Node 24 and Python 3); a checkout of Holdfast has it, too, and --url names one that runs elsewhere',
  );
}
