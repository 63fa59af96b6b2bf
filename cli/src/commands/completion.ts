import { Argument, type Command } from 'commander';
import { completions } from '../completion/completions.ts';

const scripts: Record<string, string> = {
  bash: `_holdfast() {
  local IFS=$'\\n'
  COMPREPLY=($(holdfast complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _holdfast holdfast
`,
  zsh: `#compdef holdfast
_holdfast() {
  local -a found
  found=("\${(@f)$(holdfast complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -- $found || _files
}
compdef _holdfast holdfast
`,
  fish: `complete -c holdfast -a '(holdfast complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`,
};

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('write a script that completes commands and options in your shell')
    .addArgument(new Argument('<shell>').choices(Object.keys(scripts)))
    .addHelpText('after', examples)
    .action((shell: string) => void process.stdout.write(scripts[shell] ?? ''));
  program
    .command('complete', { hidden: true })
    .argument('[word...]')
    .action(
      (words: string[]) =>
        void process.stdout.write(
          completions(program, words)
            .map((word) => `${word}\n`)
            .join(''),
        ),
    );
}

const examples = `
Examples:
  $ echo 'eval "$(holdfast completion bash)"' >> ~/.bashrc
  $ echo 'eval "$(holdfast completion zsh)"' >> ~/.zshrc      # after compinit
  $ holdfast completion fish > ~/.config/fish/completions/holdfast.fish`;
