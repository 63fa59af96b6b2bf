import { Command, Option } from 'commander';
import { expect, test } from 'vitest';
import { completions } from './completions.ts';

const program = new Command('holdfast')
  .option('--url <url>')
  .addOption(new Option('-o, --output <format>').choices(['json', 'yaml']));
program.command('run').option('--keep');
const sessions = program.command('sessions');
sessions.command('list', { isDefault: true }).option('-w, --watch');
sessions.command('create');
program.command('secret', { hidden: true });

test.each([
  [[''], ['help', 'run', 'sessions']],
  [['s'], ['sessions']],
  [
    ['sessions', ''],
    ['create', 'help', 'list'],
  ],
  [['--url', 'http://x.test', 'sessions', 'cr'], ['create']],
  [['run', '--k'], ['--keep']],
  [
    ['sessions', 'list', '--'],
    ['--help', '--output', '--url', '--watch'],
  ],
  [['sessions', 'list', '-o', 'j'], ['json']],
  [['run', '--url', ''], []],
])('completes %j', (words, found) => {
  expect(completions(program, words)).toEqual(found);
});
