import { Argument, type Command } from 'commander';
import type { CliContext } from './deployment.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** A command that can be completed: the words before it, and what may follow. */
interface Completed {
  /** The names of the commands, such as `company add`; empty for `segue` itself. */
  readonly path: string;
  readonly commands: readonly string[];
  readonly options: readonly string[];
}

/** Adds the command `segue completion`. */
export function addCompletionCommand(segue: Command, { out }: CliContext): void {
  segue
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText('after', '\nTo use it in bash, run: source <(segue completion bash)')
    .action((shell: Shell) => out(SCRIPTS[shell](completedIn(segue))));
}

function completedIn(command: Command, path: readonly string[] = [], above: readonly string[] = []): Completed[] {
  const options = [...command.options.flatMap(({ long }) => long ?? []), ...above];
  const here = {
    path: path.join(' '),
    commands: command.commands.map((each) => each.name()),
    options: [...new Set([...options, '--help'])],
  };
  return [here, ...command.commands.flatMap((each) => completedIn(each, [...path, each.name()], options))];
}

const wordsOf = ({ commands, options }: Completed) => [...commands, ...options].join(' ');

/** Whether a command has arguments, which may be files. Groups of commands have none. */
const takesFiles = ({ commands }: Completed) => commands.length === 0;

/** The scripts find the longest path of commands before the cursor, and offer what may follow it. */
const SCRIPTS: Readonly<Record<Shell, (all: readonly Completed[]) => string>> = {
  bash: (all) => `_segue() {
  local at="" word offered
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in
${all
  .map(({ path }) => `      " ${path}"|"${path}") at="${path}" ;;`)
  .slice(1)
  .join('\n')}
    esac
  done
  case "$at" in
${all.map((each) => `    "${each.path}") offered="${wordsOf(each)}" ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$offered" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _segue segue
`,
  zsh: (all) => `#compdef segue
_segue() {
  local at="" word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
${all
  .map(({ path }) => `      " ${path}"|"${path}") at="${path}" ;;`)
  .slice(1)
  .join('\n')}
    esac
  done
  case "$at" in
${all.map((each) => `    "${each.path}") compadd -- ${wordsOf(each)}${takesFiles(each) ? '; _files' : ''} ;;`).join('\n')}
  esac
}
compdef _segue segue
`,
  fish: (all) =>
    all
      .map((each) => {
        const here = each.path.split(' ').filter(Boolean);
        const seen = here.map((word) => `__fish_seen_subcommand_from ${word}`);
        const none = each.commands.length > 0 ? [`not __fish_seen_subcommand_from ${each.commands.join(' ')}`] : [];
        return `complete -c segue${takesFiles(each) ? '' : ' -f'} -n '${[...seen, ...none].join('; and ') || 'true'}' -a '${wordsOf(each)}'\n`;
      })
      .join(''),
};
