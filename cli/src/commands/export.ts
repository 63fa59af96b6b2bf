import { writeFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { connect } from '../connection/connect.ts';
import { findSession } from '../connection/find-session.ts';
import { write } from '../output/write.ts';

type ExportOptions = { format: 'ipynb' | 'script' | 'json'; context?: string; file?: string };

export function addExport(program: Command): void {
  program
    .command('export')
    .description('write the history of a session as a notebook, a script, or JSON')
    .argument('<session>', 'its id or client key')
    .addOption(new Option('--format <format>', 'the form').choices(['ipynb', 'script', 'json']).default('ipynb'))
    .option('--context <id>', 'default: the default context')
    .option('-f, --file <path>', 'default: stdout')
    .addHelpText('after', examples)
    .action(async (name: string, { format, context: contextId, file }: ExportOptions, command: Command) => {
      const session = await findSession(await connect(command), name);
      const text = await session.export(format, contextId ? { contextId } : {});
      if (file === undefined || file === '-') await write(process.stdout, text);
      else await writeFile(file, text);
    });
}

const examples = `
Examples:
  $ holdfast export notebook-7 > analysis.ipynb
  $ holdfast export notebook-7 --format script --file analysis.py`;
