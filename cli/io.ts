import { InvalidArgumentError } from 'commander';
import { Problem } from '../lib/contract/problem.ts';
import { failureFields } from '../lib/service/log.ts';

/** The process that a command runs in. */
export interface CliIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads standard input; empty unless given. */
  readonly readStdin?: () => Promise<string>;
  /** Writes to standard output. */
  readonly out: (text: string) => void;
  /** Writes to standard error. */
  readonly err: (text: string) => void;
  /** Standard error, if it is a terminal. */
  readonly terminal?: Terminal | undefined;
  /** Calls back when the user stops the command, until it is disposed of. */
  readonly onStop?: (stop: () => void) => Disposable;
}

/** A terminal, which can draw over its last line. */
export interface Terminal {
  /** Its current width; 0 or absent if unknown. */
  readonly columns?: number | undefined;
  /** Writes text as it is, control characters included. */
  write(text: string): unknown;
}

/**
 * Control and format characters, escapes, line separators and lone surrogates. A terminal may run them as commands, or
 * show text that differs from what is there.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Makes text from outside safe for a terminal, on one line: each unsafe character becomes an escape such as `\u001b`. */
export function escapeControls(text: string): string {
  return text.replace(UNSAFE, escapeCharacter);
}

/** Escapes like `escapeControls`, but keeps line feeds. The text may be JSON: its meaning does not change. */
export function escapeControlsInLines(text: string): string {
  return text.split('\n').map(escapeControls).join('\n');
}

function escapeCharacter(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');
}

/** Parses JSON from outside. @returns `undefined` if it is not JSON */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A command failed for a reason that the user can act on. The message is written for the user and has no secret. */
export class CliError extends Error {
  override readonly name = 'CliError';
  /** 1: refused or failed. 2: a usage error. */
  readonly exitCode: 1 | 2;

  constructor(message: string, { exitCode = 1, cause }: { exitCode?: 1 | 2; cause?: unknown } = {}) {
    super(message, { cause });
    this.exitCode = exitCode;
  }
}

/** Errors of lib with messages for the user. They are matched by name, so that no command loads what it does not use. */
const MESSAGES_FOR_USERS: readonly string[] = ['CompanyError', 'SecretFileError', 'SourceRefusal', 'StoreNotOpened'];

/** Formats an error as one line. Of an unexpected error it shows name and code only: the message may quote anything. */
export function formatError(error: unknown): string {
  const isForUser =
    error instanceof CliError ||
    error instanceof Problem ||
    (error instanceof Error && MESSAGES_FOR_USERS.includes(error.name));
  if (isForUser) return escapeControls(error.message.replace(/\s+/g, ' '));
  const { cause } = failureFields(error);
  return ['it failed:', cause?.name ?? 'Error', cause?.code].filter(Boolean).join(' ');
}

/** The code of an error of Node.js, such as `ENOENT`. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'Error';
}

/**
 * Makes the parser of an option with scopes, separated by commas. The result has each once, in the order of `all`.
 * @param hint for the message of a usage error
 */
export function scopesParser<T extends string>(all: readonly T[], hint: string): (text: string) => readonly T[] {
  return (text) => {
    const given = text.split(',');
    const scopes = all.filter((scope) => given.includes(scope));
    if (scopes.length > 0 && scopes.length === new Set(given).size) return scopes;
    throw new InvalidArgumentError(hint);
  };
}
