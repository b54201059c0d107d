import { closeSync, fchmodSync, fstatSync, openSync, statSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { countOf } from '../../lib/contract/count.ts';
import { RunName } from '../../lib/workflow/bulk/manifest.ts';
import type { BulkResult, CliContext } from './deployment.ts';
import { fileError } from './files.ts';
import { CliError, parseCompanyId, UsageError, wholeNumber } from './io.ts';

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

/** Adds the command `segue bulk`. */
export function addBulkCommand(
  segue: Command,
  { err, print, progress, onStop, stackName, withDeployment }: CliContext,
): void {
  segue
    .command('bulk')
    .argument('<manifest>', 'a file of JSON Lines with one command on each line')
    .option(
      '--company <id>',
      'the company of the projects; required with --stack. Default on this machine: the company of the last npm start',
      parseCompanyId,
    )
    .option(
      '--run <name>',
      'the name of the run; default: the file’s name. With another name, every line counts as new',
      parseRun,
    )
    .option('--validate-only', 'check every line and create nothing')
    .option('--concurrency <count>', 'on this machine: how many lines run at once; default: 8', wholeNumber(1, 1_000))
    .option(
      '--tolerate <percent>',
      'on this machine: how many percent of the lines may fail before the run stops; default: 100',
      wholeNumber(0, 100),
    )
    .option('--results <file>', 'write the result of each line to this file, as one line of JSON')
    .option('--failed <file>', 'write the refused lines unchanged to this file, to correct them')
    .option('--upstream <base url>', 'on this machine: the base URL of the upstream service, as for npm start')
    .action(async (path: string, options: BulkOptions) => {
      if (stackName() && options.company === undefined)
        segue.error('error: --stack needs --company, because a stack has several companies');
      const stop = new AbortController();
      const resources = new DisposableStack();
      try {
        resources.use(onStop?.(() => stop.abort()));
        const results = resources.use(openOutput('results', options.results, [path]));
        const refused = resources.use(openOutput('failed lines', options.failed, [path, options.results ?? path]));
        const result = await withDeployment(
          (deployment) =>
            deployment.bulk({
              path,
              run: options.run ?? basename(path),
              validateOnly: options.validateOnly ?? false,
              companyId: options.company,
              concurrency: options.concurrency,
              toleratedPercent: options.tolerate,
              upstream: options.upstream,
              report: { print, progress, err, results: results?.write },
              writeRefused: refused?.write,
              stop: stop.signal,
            }),
          { createsStore: true },
        );
        if (options.failed !== undefined) err(`Refused lines in ${options.failed}: ${result.refused}\n`);
        requireSuccess(result);
      } finally {
        resources.dispose();
      }
    });
}

/** Checks that every line of a run succeeded. @throws {CliError} if lines failed or did not run */
function requireSuccess({ end, failed }: BulkResult): void {
  if (end === 'stopped') throw new CliError('the run was stopped: run the same command again to continue');
  if (end === 'too-many-failed')
    throw new CliError(`too many lines failed (${failed}), so the other lines did not run`);
  if (failed > 0) throw new CliError(`${countOf(failed, 'line')} failed`);
}

function parseRun(text: string): string {
  if (RunName.safeParse(text).success) return text;
  throw new InvalidArgumentError('The name of a run must be 1 to 1024 characters.');
}

/** An output file of a run. Opening the file empties it. */
interface OutputFile extends Disposable {
  /** Appends to the file. @throws {CliError} if the file can no longer be written */
  readonly write: (text: string | Uint8Array) => void;
}

/** The file mode that lets only the owner read an output file, which has faults, ids or content. */
const MODE = 0o600;

/**
 * Opens an output file of a run.
 * @param content names the file's content in error messages, such as `results`
 * @param path the path from the command line; `undefined` if the user wants no such file
 * @param others the run's other files, which must not be overwritten
 * @throws {CliError} if the file cannot be written, or is one of the other files
 */
function openOutput(content: string, path: string | undefined, others: readonly string[]): OutputFile | undefined {
  if (path === undefined) return undefined;
  if (others.some((other) => isSameFile(path, other)))
    throw new UsageError(`the ${content} would overwrite another file of this run: choose another name`);
  const file = translateErrors({ path, content }, () => {
    const opened = openSync(path, 'w', MODE);
    // An existing file keeps its mode when it is opened, so the mode is set here. A device such as /dev/stdout is left
    // alone.
    if (fstatSync(opened).isFile()) fchmodSync(opened, MODE);
    return opened;
  });
  return {
    write: (text) => translateErrors({ path, content }, () => writeFileSync(file, text)),
    [Symbol.dispose]: () => closeSync(file),
  };
}

function isSameFile(path: string, other: string): boolean {
  const [one, two] = [path, other].map((name) => statSync(name, { bigint: true, throwIfNoEntry: false }));
  return one !== undefined && one.dev === two?.dev && one.ino === two.ino;
}

function translateErrors<T>(file: { readonly path: string; readonly content: string }, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw fileError({ ...file, to: 'written' }, cause);
  }
}
