import type { Command, Option } from 'commander';

/** The words that may stand in the place of the last one: commands, options, and the values of an option that has a fixed set. */
export function completions(program: Command, words: readonly string[]): string[] {
  const before = words.slice(0, -1);
  const last = words.at(-1) ?? '';
  const { command, awaited } = walk(program, before);
  if (awaited) return (awaited.argChoices ?? []).filter((choice) => choice.startsWith(last));
  return [...commandNames(command), ...(last.startsWith('-') ? optionNames(command) : []), ...argumentChoices(command)]
    .filter((name) => name.startsWith(last))
    .toSorted();
}

/** The command that the words lead to, and the option among them that still waits for its value. */
function walk(program: Command, words: readonly string[]): { command: Command; awaited: Option | undefined } {
  let command = program;
  let awaited: Option | undefined;
  for (const word of words) {
    if (awaited) awaited = undefined;
    else if (word.startsWith('-')) {
      const option = optionsOf(command).find(({ short, long }) => word === short || word === long);
      awaited = option && (option.required || option.optional) ? option : undefined;
    } else command = command.commands.find((one) => one.name() === word || one.aliases().includes(word)) ?? command;
  }
  return { command, awaited };
}

const optionsOf = (command: Command): readonly Option[] =>
  command.parent ? [...command.options, ...optionsOf(command.parent)] : command.options;

const optionNames = (command: Command) => [...optionsOf(command).map(({ long }) => long ?? ''), '--help'];

const commandNames = (command: Command) =>
  command
    .createHelp()
    .visibleCommands(command)
    .map((one) => one.name());

const argumentChoices = ({ registeredArguments }: Command) =>
  registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
