import type { Command } from 'commander';
import { connect } from '../connection/connect.ts';
import { findSession } from '../connection/find-session.ts';
import { Failure } from '../failures/failure.ts';
import { download, upload } from '../files/copy-files.ts';
import { parseCopyPlace } from '../files/copy-place.ts';
import { note, withProgress } from '../output/progress.ts';

export function addCp(program: Command): void {
  program
    .command('cp')
    .description('copy a file or a folder into a session or out of it')
    .argument('<from>', 'a path, or SESSION:PATH')
    .argument('<to>', 'the same; one of both is in a session')
    .addHelpText('after', examples)
    .action(async (from: string, to: string, _: object, command: Command) => {
      const copied = copy(from, to, command);
      await (to === '-' ? copied : withProgress('Copying', copied));
    });
}

const examples = `
Examples:
  $ holdfast cp data.csv notebook-7:input/data.csv
  $ holdfast cp src notebook-7:                      # the folder src in the workspace
  $ holdfast cp notebook-7:plots .
  $ holdfast cp notebook-7:result.json - | jq .

Links and devices in folders are left out. So are names that are not UTF-8 and what cannot be read in a session: then the exit code is 1.`;

async function copy(from: string, to: string, command: Command): Promise<void> {
  const source = parseCopyPlace(from);
  const target = parseCopyPlace(to);
  const holdfast = await connect(command);
  let missing = 0;
  const skip = (path: string, lost = 0) => {
    note(`left out: ${path}`);
    missing += lost;
  };
  if (source.session !== undefined && target.session === undefined) {
    const session = await findSession(holdfast, source.session);
    await download(holdfast.api, session, source.path, target.path, skip);
  } else if (target.session !== undefined && source.session === undefined) {
    const session = await findSession(holdfast, target.session);
    await upload(holdfast.api, session, source.path, target.path, skip);
  } else throw new Failure('one of both is SESSION:PATH, and the other a path of this machine', { exitCode: 2 });
  if (missing > 0) throw new Failure(`${missing} ${missing === 1 ? 'entry was' : 'entries were'} not copied`);
}
