import { createInstallation } from '../../../data-plane/test/support/installation.ts';
import { buildCli } from './build-cli.ts';

/** A server with a key, and the program with its address and key. */
export async function serveCli() {
  const apiKey = 'hf_a_first_key_for_the_tests';
  const installation = await createInstallation();
  const { url } = await installation.start({ HOLDFAST_BOOTSTRAP_API_KEY: apiKey });
  const cli = await buildCli({ HOLDFAST_URL: url, HOLDFAST_API_KEY: apiKey });
  return {
    cli,
    url,
    apiKey,
    /** Runs a command that must succeed, and answers its stdout. */
    async output(...args: string[]): Promise<string> {
      const { exitCode, stdout, stderr } = await cli.run(args);
      if (exitCode !== 0) throw new Error(`${args.join(' ')} gave ${exitCode}: ${stderr}`);
      return stdout;
    },
    async [Symbol.asyncDispose]() {
      await cli[Symbol.asyncDispose]();
      await installation[Symbol.asyncDispose]();
    },
  };
}
