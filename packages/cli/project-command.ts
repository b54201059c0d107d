import { SEGUE } from '../../lib/contract/segue-command.ts';

/** The options of a command line. An option with the value `true` is a flag, and one with a list has several values. */
export type GivenOptions = Readonly<Record<string, string | number | true | readonly string[] | undefined>>;

/** Formats the command line for a command on a project, or on the file of a project. */
export function projectCommand(name: string, argument: string | number, options: GivenOptions): string {
  const given = Object.entries(options).flatMap(([option, value]) => {
    if (value === undefined) return [];
    return value === true ? [option] : [option, ...[value].flat().map(String)];
  });
  return [SEGUE, ...['projects', name, String(argument), ...given].map(quoteForShell)].join(' ');
}

/** Quotes a word of a command line if a shell would split or change it. */
function quoteForShell(word: string): string {
  return /^[\w./:@%+,=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
