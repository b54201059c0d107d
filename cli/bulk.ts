import { basename } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { COMPANY_ID } from '../lib/contract/company-id.ts';
import { RunName } from '../lib/workflow/bulk/manifest.ts';
import { openOutput } from './bulk/output-file.ts';
import type { BulkEnd } from './bulk/request.ts';
import { LinesFailed } from './bulk/unusable.ts';
import { stackIn, withPlace } from './place.ts';
import type { Surroundings } from './program.ts';

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
export function addBulkCommand(segue: Command, surroundings: Surroundings): void {
  segue
    .command('bulk')
    .description(
      'create and delete what a manifest asks for. Each line happens once: a later run with the same name does only the lines that are new or were refused',
    )
    .argument('<manifest>', 'a file of JSON Lines, with a command on each line')
    .option(
      '--company <id>',
      'whose projects; on this machine the company that npm start last ran as unless given',
      companyId,
    )
    .option(
      '--run <name>',
      'the run’s name, the file’s name unless given. Under another name every line is new',
      runName,
    )
    .option('--validate-only', 'check every line and create nothing')
    .option('--concurrency <count>', 'on this machine: how many lines at once, 8 unless given', wholeNumber(1, 1_000))
    .option(
      '--tolerate <percent>',
      'on this machine: stop once more than this share of the lines has failed, 100 unless given',
      wholeNumber(0, 100),
    )
    .option('--results <file>', 'write the result of each line, as a line of JSON')
    .option('--failed <file>', 'write the refused lines as they were, to correct them')
    .option('--upstream <base url>', 'the upstream service of this machine’s Segue, as npm start is given it')
    .action(async (path: string, options: BulkOptions) => {
      const named = stackIn(segue);
      if (named && options.company === undefined) segue.error('error: a stack has many companies: give --company');
      const stop = new AbortController();
      using _listening = surroundings.onStop?.(() => stop.abort());
      const open = (what: string, file: string | undefined, others: readonly string[]) =>
        file === undefined ? undefined : openOutput(what, file, others);
      using results = open('results', options.results, [path]);
      using refused = open('failed lines', options.failed, [path, options.results ?? path]);
      const { out, err, terminal } = surroundings;
      const end = await withPlace(surroundings, named, (place) =>
        place.bulk({
          path,
          run: options.run ?? basename(path),
          validateOnly: options.validateOnly ?? false,
          companyId: options.company,
          concurrency: options.concurrency,
          toleratedPercent: options.tolerate,
          upstream: options.upstream,
          report: { out, err, terminal, results: results?.write },
          refused: refused?.write,
          stop: stop.signal,
        }),
      );
      if (options.failed !== undefined) out(`Refused lines in ${options.failed}: ${end.refused}\n`);
      requireGood(end);
    });
}

/** @throws {LinesFailed} */
function requireGood({ end, failed }: BulkEnd): void {
  if (end === 'stopped') throw new LinesFailed('stopped: run the same command again to continue');
  if (end === 'too-many-failed') throw new LinesFailed(`too many lines failed, ${failed}: the rest was left alone`);
  if (failed > 0) throw new LinesFailed(failed === 1 ? '1 line failed' : `${failed} lines failed`);
}

function companyId(text: string): string {
  if (COMPANY_ID.test(text)) return text;
  throw new InvalidArgumentError('It takes 1 to 64 of A-Z a-z 0-9 _ -.');
}

function runName(text: string): string {
  if (RunName.safeParse(text).success) return text;
  throw new InvalidArgumentError('It takes 1 to 1024 characters.');
}

function wholeNumber(least: number, most: number) {
  return (text: string): number => {
    const number = Number(text);
    if (/^\d{1,4}$/.test(text) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It takes a whole number from ${least} to ${most}.`);
  };
}
