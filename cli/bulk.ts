import { type Command, InvalidArgumentError, Option } from 'commander';
import { FORMATS, type Format, formatOf } from '../lib/bulk/manifest.ts';
import { COMPANY_ID } from '../lib/contract/company-id.ts';
import type { BulkEnd } from './bulk/request.ts';
import { openResults } from './bulk/results-file.ts';
import { LinesFailed, ManifestUnusable } from './bulk/unusable.ts';
import { stackIn, withPlace } from './place.ts';
import type { Surroundings } from './program.ts';

interface BulkOptions {
  readonly company?: string;
  readonly format?: Format;
  readonly concurrency?: number;
  readonly tolerate?: number;
  readonly results?: string;
  readonly upstream?: string;
}

/** `segue bulk` */
export function addBulkCommand(segue: Command, surroundings: Surroundings): void {
  segue
    .command('bulk')
    .description(
      'create and delete what a manifest says, each line once; the same manifest again goes on where it stopped',
    )
    .argument('<manifest>', 'a file of JSON Lines, a JSON array, or CSV with a header')
    .option(
      '--company <id>',
      'whose projects; on this machine the company that npm start last ran as unless given',
      companyId,
    )
    .addOption(new Option('--format <format>', 'what the file’s name says unless given').choices(FORMATS))
    .option('--concurrency <count>', 'on this machine: how many lines at once, 8 unless given', wholeNumber(1, 1_000))
    .option(
      '--tolerate <percent>',
      'on this machine: more failed lines end the run, 100 unless given',
      wholeNumber(0, 100),
    )
    .option('--results <file>', 'a line of JSON for each line of the manifest')
    .option('--upstream <base url>', 'the service behind the Segue of this machine, as npm start is given it')
    .action(async (path: string, options: BulkOptions) => {
      const named = stackIn(segue);
      const format = options.format ?? formatOf(path);
      if (!format) throw new ManifestUnusable(`say what the manifest is: --format ${FORMATS.join('|')}`);
      if (named && options.company === undefined)
        segue.error('error: a stack has many companies: say whose, --company');
      const stop = new AbortController();
      using _listening = surroundings.onStop?.(() => stop.abort());
      using results = options.results === undefined ? undefined : openResults(options.results, path);
      const { out, err, terminal } = surroundings;
      const end = await withPlace(surroundings, named, (place) =>
        place.bulk({
          path,
          format,
          companyId: options.company,
          concurrency: options.concurrency,
          toleratedPercent: options.tolerate,
          upstream: options.upstream,
          report: { out, err, terminal, results: results?.write },
          stop: stop.signal,
        }),
      );
      requireGood(end);
    });
}

/** @throws {LinesFailed} */
function requireGood({ end, failed }: BulkEnd): void {
  if (end === 'stopped') throw new LinesFailed('it was stopped: the same command goes on where it stopped');
  if (end === 'too-many-failed') throw new LinesFailed(`too many lines failed, ${failed}: the rest was left alone`);
  if (failed > 0) throw new LinesFailed(failed === 1 ? 'a line failed' : `${failed} lines failed`);
}

function companyId(text: string): string {
  if (COMPANY_ID.test(text)) return text;
  throw new InvalidArgumentError('It takes 1 to 64 of A-Z a-z 0-9 _ -.');
}

function wholeNumber(least: number, most: number) {
  return (text: string): number => {
    const number = Number(text);
    if (/^\d{1,4}$/.test(text) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It takes a whole number from ${least} to ${most}.`);
  };
}
