import type { Command } from 'commander';

/** Matches long words in usage errors, which are not printed: such a word may be an API key in the wrong place. */
const POSSIBLE_KEY = /\w{20,}/g;

/**
 * Formats the message of a usage error from parsing, as the errors of commands are formatted. An option that is cut
 * short gets the whole one as a suggestion: the parser suggests only for spelling mistakes.
 * @param segue the command whose parsing of `args` failed
 */
export function formatUsageError(message: string, segue: Command, args: readonly string[]): string {
  const text = message.replace(/^error: /, '').replace(POSSIBLE_KEY, '…');
  const [, option] = /^unknown option '(--[\w-]+)'$/.exec(text) ?? [];
  if (option === undefined) return text;
  const [whole, ...others] = optionsOf(segue, args).filter((name) => name.startsWith(option));
  return whole === undefined || others.length > 0 ? text : `${text}\n(Did you mean ${whole}?)`;
}

/** Returns the options of the command that the arguments name, and of the commands above it. */
function optionsOf(segue: Command, args: readonly string[]): string[] {
  let command = segue;
  const names = [command];
  for (const word of args) {
    const next = command.commands.find((each) => each.name() === word);
    if (next) names.push(next);
    command = next ?? command;
  }
  return names.flatMap(({ options }) => options.flatMap(({ long }) => long ?? []));
}
