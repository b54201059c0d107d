import { closeSync, fchmodSync, fstatSync, openSync, statSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { COMPANY_ID } from '../lib/contract/credentials.ts';
import { RunName } from '../lib/workflow/bulk/manifest.ts';
import type { BulkResult, CliContext } from './deployment.ts';
import { CliError, errorCode } from './io.ts';

interface BulkOptions {
  readonly company?: string;
  readonly run?: string;
  readonly validateOnly?: true;
  readonly concurrency?: number;
  readonly tolerate?: number;
  readonly results?: string;
  readonly failed?: string;
  readonly upstream?: string;
}

/** `segue bulk` */
export function addBulkCommand(segue: Command, { out, err, terminal, onStop, ...context }: CliContext): void {
  segue
    .command('bulk')
    .description(
      'run a manifest of projects to create and delete. Each line runs once: a later run of the same name does only lines that are new or were refused',
    )
    .argument('<manifest>', 'a file of JSON Lines, with a command on each line')
    .option(
      '--company <id>',
      'the company; required with --stack. On this machine the default is the company of the last npm start',
      parseCompanyId,
    )
    .option(
      '--run <name>',
      'the run’s name, the file’s name unless given. Under another name every line is new',
      parseRun,
    )
    .option('--validate-only', 'check every line and create nothing')
    .option(
      '--concurrency <count>',
      'on this machine: how many lines run at once, 8 unless given',
      wholeNumber(1, 1_000),
    )
    .option(
      '--tolerate <percent>',
      'on this machine: stop once more than this share of the lines has failed, 100 unless given',
      wholeNumber(0, 100),
    )
    .option('--results <file>', 'write the result of each line, as a line of JSON')
    .option('--failed <file>', 'write the refused lines unchanged, to correct them')
    .option('--upstream <base url>', 'on this machine: the base URL of the upstream service, the same as for npm start')
    .action(async (path: string, options: BulkOptions) => {
      if (context.stackName() && options.company === undefined)
        segue.error('error: a stack has many companies: give --company');
      const stop = new AbortController();
      const resources = new DisposableStack();
      try {
        resources.use(onStop?.(() => stop.abort()));
        const results = resources.use(openOutput('results', options.results, [path]));
        const refused = resources.use(openOutput('failed lines', options.failed, [path, options.results ?? path]));
        const result = await context.withDeployment((deployment) =>
          deployment.bulk({
            path,
            run: options.run ?? basename(path),
            validateOnly: options.validateOnly ?? false,
            companyId: options.company,
            concurrency: options.concurrency,
            toleratedPercent: options.tolerate,
            upstream: options.upstream,
            report: { out, err, terminal, results: results?.write },
            writeRefused: refused?.write,
            stop: stop.signal,
          }),
        );
        if (options.failed !== undefined) out(`Refused lines in ${options.failed}: ${result.refused}\n`);
        requireSuccess(result);
      } finally {
        resources.dispose();
      }
    });
}

/** @throws {CliError} unless every line succeeded */
function requireSuccess({ end, failed }: BulkResult): void {
  if (end === 'stopped') throw new CliError('stopped: run the same command again to continue');
  if (end === 'too-many-failed') throw new CliError(`too many lines failed, ${failed}: the other lines did not run`);
  if (failed > 0) throw new CliError(failed === 1 ? '1 line failed' : `${failed} lines failed`);
}

function parseCompanyId(text: string): string {
  if (COMPANY_ID.test(text)) return text;
  throw new InvalidArgumentError('It must be 1 to 64 of A-Z a-z 0-9 _ -.');
}

function parseRun(text: string): string {
  if (RunName.safeParse(text).success) return text;
  throw new InvalidArgumentError('It must be 1 to 1024 characters.');
}

function wholeNumber(min: number, max: number) {
  return (text: string): number => {
    const number = Number(text);
    if (/^\d{1,4}$/.test(text) && number >= min && number <= max) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}

/** A file that a run writes, empty at first. */
interface OutputFile extends Disposable {
  /** @throws {CliError} if it cannot be written any more */
  readonly write: (text: string | Uint8Array) => void;
}

/** Only the owner may read the file: it has faults, ids or content. */
const MODE = 0o600;

/**
 * Opens a file that a run writes.
 * @param content for messages, such as `results`
 * @param path `undefined` if the user wants no such file
 * @param others files of the same run, which it must not overwrite
 * @throws {CliError} if it cannot be written, or is one of the others
 */
function openOutput(content: string, path: string | undefined, others: readonly string[]): OutputFile | undefined {
  if (path === undefined) return undefined;
  if (others.some((other) => isSameFile(path, other)))
    throw new CliError(`the ${content} would overwrite another file of this run: choose another name`, { exitCode: 2 });
  const file = translateErrors(content, 2, () => {
    const opened = openSync(path, 'w', MODE);
    // An existing file keeps its mode, so it is set here; but not that of a device.
    if (fstatSync(opened).isFile()) fchmodSync(opened, MODE);
    return opened;
  });
  return {
    write: (text) => translateErrors(content, 1, () => writeFileSync(file, text)),
    [Symbol.dispose]: () => closeSync(file),
  };
}

function isSameFile(path: string, other: string): boolean {
  const [one, two] = [path, other].map((name) => statSync(name, { bigint: true, throwIfNoEntry: false }));
  return one !== undefined && one.dev === two?.dev && one.ino === two.ino;
}

function translateErrors<T>(content: string, exitCode: 1 | 2, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new CliError(`the ${content} cannot be written: ${errorCode(cause)}`, { exitCode, cause });
  }
}
