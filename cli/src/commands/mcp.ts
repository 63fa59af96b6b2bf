import type { Command } from 'commander';
import { chosenServer } from '../connection/connect.ts';
import { note } from '../output/progress.ts';
import { onStop } from '../run/stops.ts';

export function addMcp(program: Command): void {
  program
    .command('mcp')
    .description('serve the tools of a server to an MCP client on stdin and stdout')
    .option(
      '-s, --session <name>',
      'work in the session of this client key, which you can share; default: one of its own',
    )
    .addHelpText('after', examples)
    .action(async ({ session }: { session?: string }, command: Command) => {
      const { url, apiKey } = await chosenServer(command);
      const endpoint = new URL(`${url.replace(/\/+$/, '')}/mcp`);
      if (session !== undefined) endpoint.searchParams.set('session', session);
      const stop = new AbortController();
      using _stops = onStop(() => stop.abort());
      const { proxyMcp } = await import('../mcp/proxy-mcp.ts');
      await proxyMcp({ endpoint, apiKey, note, signal: stop.signal });
    });
}

const examples = `
Clients start it themselves. Many have a file with:
  {"mcpServers": {"holdfast": {"command": "holdfast", "args": ["mcp"], "env": {"HOLDFAST_API_KEY": "…"}}}}

Examples:
  $ claude mcp add holdfast -- holdfast mcp
  $ holdfast mcp --session notebook-7`;
