import { type ParseArgsOptionDescriptor, parseArgs } from 'node:util';
import { readBaseUrl, writeBaseUrl } from '../lib/contract/base-url.ts';
import { nearest } from '../lib/contract/nearest.ts';

/** The flags of an npm script. */
export interface Flags {
  /** How the script is started, such as `npm start`. */
  readonly start: string;
  readonly options: Readonly<Record<string, FlagOption>>;
  /** A sentence about what is set in another way. */
  readonly others?: string;
}

interface FlagOption extends ParseArgsOptionDescriptor {
  /** The form of the flag's value, such as `<base url>`. A flag without a value has none. */
  readonly form?: string;
}

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number];

/**
 * Returns what is wrong with the arguments of an npm script; `undefined` if they can be parsed. The text shows an
 * argument only if it cannot be a password: the name of a flag, or a base URL.
 * @param args the command line after the program
 * @param env has a variable for each flag that npm took for itself, as it does with flags before a `--`
 */
export function flagFault(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  { start, options, others }: Flags,
): string | undefined {
  const known = Object.keys(options);
  const usage = (name: string, form = options[name]?.form) => `--${name}${form ? ` ${form}` : ''}`;
  const all = `the flags are ${known.map((name) => usage(name)).join(', ')}${others ? `. ${others}` : ''}`;
  // The messages of strict parsing would repeat arguments.
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });

  const variable = (name: string) => env[`npm_config_${name.replaceAll('-', '_')}`];
  const taken = known.find((name) => variable(name) && !tokens.some((t) => t.kind === 'option' && t.name === name));
  if (taken) {
    const [url] = [variable(taken), args[0]].flatMap(shownUrl);
    return `npm took --${taken} for an option of its own: write -- before the flags, as in ${start} -- ${usage(taken, url)}`;
  }

  const faultOf = (token: Token): string | undefined => {
    if (token.kind === 'option-terminator') return undefined;
    if (token.kind === 'positional') {
      const [url] = shownUrl(token.value);
      return `${url ?? 'an argument'} follows no flag: write ${start} -- ${usage(known[0] ?? '', url)}`;
    }
    const { name, rawName, value, inlineValue } = token;
    const option = options[name];
    if (!option) {
      const shown = /^-{1,2}[a-z][a-z-]{0,30}$/.test(rawName) ? rawName : 'an argument';
      const [near] = nearest(name, known, 1);
      return `${shown} is not a flag of ${start}${near ? ` (did you mean --${near}?)` : ''}: ${all}`;
    }
    const fits = option.type === 'boolean' ? value === undefined : value && (inlineValue || !value.startsWith('-'));
    return fits ? undefined : `--${name} takes ${option.form ?? 'no value'}`;
  };
  return tokens.map(faultOf).find((fault) => fault !== undefined);
}

/** Returns a base URL as text. It has no password, because credentials, query and fragment are not allowed in it. */
function shownUrl(text: string | undefined): string[] {
  const url = text && readBaseUrl(text, { protocols: ['http', 'https'] });
  return url ? [writeBaseUrl(url)] : [];
}
