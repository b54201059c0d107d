import type { Fault } from '../lib/contract/faults.ts';
import { Problem } from '../lib/contract/problem.ts';
import { failureFields } from '../lib/service/log.ts';
import { escapeControls } from './io.ts';

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

/** Formats each fault as a line: its pointer, its code, and the correct form. */
export function formatFaults(faults: readonly Fault[]): string {
  return faults.map(({ pointer, code, detail }) => `${pointer || '/'}  ${code}  ${detail}\n`).join('');
}

/** The code of an error of Node.js, such as `ENOENT`. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'Error';
}
