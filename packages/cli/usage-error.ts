import type { Command, CommanderError } from 'commander';
import { SEGUE } from '../../lib/contract/segue-command.ts';

/** Matches long words in usage errors, which are not printed: such a word may be an API key in the wrong place. */
const POSSIBLE_KEY = /\w{20,}/g;

/**
 * Formats the message of a usage error from parsing, as the errors of commands are formatted, and adds what to do.
 * @param segue the command whose parsing failed
 */
export function formatUsageError({ code, message }: CommanderError, segue: Command): string {
  const text = message.replace(/^error: /, '').replace(POSSIBLE_KEY, '…');
  // The parser suggests the right spelling on a second line.
  return text.includes('\n') ? text : (ADVICE[code]?.(text, pathOf(segue)) ?? text);
}

/** The command that failed, after the commands above it. */
type CommandPath = readonly [Command, ...Command[]];

/** What to do about usage errors, by their codes. Each function returns the whole text of the error. */
const ADVICE: Readonly<Record<string, (text: string, path: CommandPath) => string>> = {
  'commander.unknownCommand': (text, path) =>
    `${text}\nThe commands of ${nameOf(path)}: ${lastOf(path)
      .commands.map((command) => command.name())
      .join(', ')}`,
  'commander.unknownOption': (text, path) =>
    `${text}\n${wholeOption(text, path) ?? `To see the options, run: ${commandOf(path)} --help`}`,
  'commander.missingArgument': describe,
  'commander.missingMandatoryOptionValue': describe,
  'commander.optionMissingArgument': describe,
  'commander.excessArguments': (_, path) => {
    const { args, registeredArguments } = lastOf(path);
    const surplus = args.slice(registeredArguments.length).join(' ').replace(POSSIBLE_KEY, '…');
    return `too many arguments, from '${surplus}' on. Usage: ${nameOf(path)} ${lastOf(path).usage()}`;
  },
};

/** Adds the description of the argument or option that the error names in quotes. */
function describe(text: string, path: CommandPath): string {
  const [, name] = /'(.+)'/.exec(text) ?? [];
  const found =
    lastOf(path).registeredArguments.find((argument) => argument.name() === name) ??
    path.flatMap(({ options }) => options).find(({ flags }) => flags === name);
  return found?.description
    ? `${text}: ${found.description}`
    : `${text}\nTo see what it is, run: ${commandOf(path)} --help`;
}

/** Suggests the option that is cut short in the error: the parser suggests only for spelling mistakes. */
function wholeOption(text: string, path: CommandPath): string | undefined {
  const [, option] = /'(--[\w-]+)'$/.exec(text) ?? [];
  if (option === undefined) return undefined;
  const names = path.flatMap(({ options }) => options.flatMap(({ long }) => long ?? []));
  const [whole, ...others] = names.filter((name) => name.startsWith(option));
  return whole === undefined || others.length > 0 ? undefined : `(Did you mean ${whole}?)`;
}

/** Returns the path to the command whose parsing failed. The first argument of each command on it names the next. */
function pathOf(segue: Command): CommandPath {
  const [name] = segue.args;
  const next = segue.commands.find((command) => command.name() === name);
  return next ? [segue, ...pathOf(next)] : [segue];
}

function lastOf(path: CommandPath): Command {
  return path.at(-1) ?? path[0];
}

function nameOf(path: CommandPath): string {
  return path.map((command) => command.name()).join(' ');
}

/** Returns the command line of a command, to paste. */
function commandOf([, ...path]: CommandPath): string {
  return [SEGUE, ...path.map((command) => command.name())].join(' ');
}
