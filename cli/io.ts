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

/** Does the same and keeps line feeds. In JSON, the escapes mean the same characters. */
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
