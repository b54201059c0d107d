import { InvalidArgumentError } from 'commander';
import { COMPANY_ID } from '../../lib/contract/basic-credentials.ts';
import { Problem } from '../../lib/contract/problem.ts';
import { failureFields } from '../../lib/service/log.ts';

/** The environment, the input and the output of the process in which a command runs. */
export interface CliIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads standard input to its end. Without this function, standard input counts as empty. */
  readonly readStdin?: () => Promise<string>;
  /** Asks for a secret on the terminal, without showing it. Absent if standard input is no terminal. */
  readonly readSecret?: ((prompt: string) => Promise<string>) | undefined;
  /** Writes to standard output. */
  readonly out: (text: string) => void;
  /** Writes to standard error. */
  readonly err: (text: string) => void;
  /** Sets text off on a terminal with colours: a heading or an error. Without this function, text stays plain. */
  readonly style?: (style: 'heading' | 'error', text: string) => string;
  /** The terminal, if standard error is one. */
  readonly terminal?: Terminal | undefined;
  /** Registers a callback for when the user stops the command. Disposing of the result removes it, unless it was called. */
  readonly onStop?: (stop: () => void) => Disposable;
}

/** A terminal whose last line can be redrawn. */
export interface Terminal {
  /** The terminal's current width in characters. 0 or absent if the width is unknown. */
  readonly columns?: number | undefined;
  /** Writes text unchanged, control characters included. */
  write(text: string): unknown;
}

/**
 * Matches control and format characters, line and paragraph separators, and lone surrogates. A terminal may run such
 * characters as commands, or show something else than the text.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Makes untrusted text safe to print on one line of a terminal. Each unsafe character becomes an escape such as
 * `\u001b`.
 */
export function escapeControls(text: string): string {
  return text.replace(UNSAFE, escapeCharacter);
}

/**
 * Makes untrusted text safe to print, and keeps its line feeds. If the text is JSON, its strings keep their values,
 * because JSON has the same escapes.
 */
export function escapeControlsInLines(text: string): string {
  return text.split('\n').map(escapeControls).join('\n');
}

function escapeCharacter(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');
}

/** Parses untrusted JSON. @returns `undefined` if the text is not JSON */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface CliErrorOptions extends ErrorOptions {
  readonly exitCode?: 1 | 2;
  readonly faults?: string;
}

/**
 * The error of a command that failed for a reason that the user can act on. Its message is for the user, and holds no
 * secret.
 */
export class CliError extends Error {
  override readonly name = 'CliError';
  /** The exit code: 1 if the command was refused or failed, 2 for a usage error. */
  readonly exitCode: 1 | 2;
  /** The faults of a file, on lines of their own, to print before the message. */
  readonly faults: string;

  constructor(message: string, { exitCode = 1, cause, faults = '' }: CliErrorOptions = {}) {
    super(message, { cause });
    this.exitCode = exitCode;
    this.faults = faults;
  }
}

/** The error of a command that was used in a wrong way, or with an unusable file. */
export class UsageError extends CliError {
  constructor(message: string, options: Omit<CliErrorOptions, 'exitCode'> = {}) {
    super(message, { ...options, exitCode: 2 });
  }
}

/**
 * The names of the errors in `lib` whose messages are for the user. Names are compared so that no command has to load
 * the error classes.
 */
const MESSAGES_FOR_USERS: readonly string[] = [
  'CompanyError',
  'SecretFileError',
  'SourceRefusal',
  'DestinationRefusal',
  'StoreNotOpened',
  'TableError',
  'WrongSetting',
];

/**
 * Formats an error as one line. An unexpected error is shown by its name and code only, because its message may hold
 * secrets.
 */
export function formatError(error: unknown): string {
  const isForUser =
    error instanceof CliError ||
    error instanceof Problem ||
    (error instanceof Error && MESSAGES_FOR_USERS.includes(error.name));
  if (isForUser) return escapeControls(error.message.replace(/\s+/g, ' '));
  const { cause } = failureFields(error);
  return ['it failed:', cause?.name ?? 'Error', cause?.code].filter(Boolean).join(' ');
}

/** Reads secrets from standard input, one a line. @throws {UsageError} if standard input is empty */
export async function readSecretLines(readStdin: CliIo['readStdin']): Promise<string[]> {
  const text = (await readStdin?.()) ?? '';
  if (text.trim() === '')
    throw new UsageError(
      'standard input was empty: pipe the secret into this command, and check that the variable that holds it is set',
    );
  return text.split(/\r?\n/);
}

/** Returns the code of an error of Node.js, such as `ENOENT`, or the text `Error` if the error has no code. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'Error';
}

/** Parses an argument or option that is a company id. */
export function parseCompanyId(text: string): string {
  if (COMPANY_ID.test(text)) return text;
  throw new InvalidArgumentError('A company id must be 1 to 64 characters from A-Z, a-z, 0-9, _ and -.');
}

/**
 * Returns a parser for a command-line option whose value is a list of scopes, separated by commas. The parser returns
 * each scope once, in the order of `all`.
 * @param all the scopes that the option accepts
 * @param hint tells the user the correct form if the value is invalid
 */
export function scopesParser<T extends string>(all: readonly T[], hint: string): (text: string) => readonly T[] {
  return (text) => {
    const given = text.split(',');
    const scopes = all.filter((scope) => given.includes(scope));
    if (scopes.length > 0 && scopes.length === new Set(given).size) return scopes;
    throw new InvalidArgumentError(hint);
  };
}

/** Returns a parser for a command-line option whose value is one of some names. @param what the option names */
export function oneOf<T extends string>(what: string, names: readonly T[]): (text: string) => T {
  return (text) => {
    const found = names.find((name) => name === text);
    if (found !== undefined) return found;
    throw new InvalidArgumentError(`The ${what} must be one of ${names.join(', ')}.`);
  };
}

/** Returns a parser for a command-line option whose value is a whole number. */
export function wholeNumber(min: number, max: number) {
  return (text: string): number => {
    const number = Number(text);
    if (/^\d{1,4}$/.test(text) && number >= min && number <= max) return number;
    throw new InvalidArgumentError(`The value must be a whole number from ${min} to ${max}.`);
  };
}
