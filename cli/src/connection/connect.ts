import { Holdfast, type HoldfastOptions } from '@holdfast/sdk';
import type { Command } from 'commander';
import { readEnvironment } from '../environment.ts';
import { Failure } from '../failures/failure.ts';
import { type ChosenServer, chooseServer, type ServerOptions } from './choose-server.ts';
import { readStoredServers } from './stored-servers.ts';

/** The server that the options of a command, the environment or the stored servers name. */
export async function chosenServer(command: Command): Promise<ChosenServer> {
  return chooseServer(command.optsWithGlobals<ServerOptions>(), readEnvironment(), await readStoredServers());
}

/** The client of that server. */
export async function connect(command: Command, options: HoldfastOptions = {}): Promise<Holdfast> {
  const { url, apiKey, source } = await chosenServer(command);
  try {
    return new Holdfast({ url, apiKey, ...options });
  } catch (cause) {
    const shown = url.replace(/\/\/[^/@]*@/, '//…@');
    throw new Failure(
      `${shown}, named by ${source}, is not an address of a server: it begins with http:// or https://`,
      {
        exitCode: 2,
        cause,
      },
    );
  }
}
