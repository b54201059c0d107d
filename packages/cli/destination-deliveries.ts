import type { Command } from 'commander';
import type { ResultReport } from '../../lib/contract/administration.ts';
import { SEGUE } from '../../lib/contract/segue-command.ts';
import { type ResultRef, readResultId } from '../../lib/destinations/deliveries.ts';
import { reportResult } from '../../lib/destinations/reports.ts';
import type { CliContext, Deployment } from './deployment.ts';
import { CliError, UsageError } from './io.ts';
import { tableOf } from './table.ts';

interface SelectOptions {
  readonly company?: string;
  readonly all?: true;
}

/** Adds the commands `segue destination dead-letters|delivery|redrive`. */
export function addDestinationDeliveryCommands(
  destination: Command,
  { err, print, printJson, printList, withDeployment }: CliContext,
): void {
  destination
    .command('dead-letters')
    .description('show the deliveries that failed for good, the latest first')
    .argument('[name]', 'the name of a destination')
    .option('--company <company id>', 'the deliveries of this company')
    .action((name: string | undefined, { company }: SelectOptions) =>
      withDeployment(async (deployment) => {
        const filter = await filterOf(deployment, name, company);
        await printList(reports(deployment, filter), LETTERS);
      }),
    );

  destination
    .command('delivery')
    .description('show a delivery as JSON: open, done or dead, with its last request and its failure')
    .argument('<name>')
    .argument('<delivery id>')
    .action((name: string, id: string) =>
      withDeployment(async (deployment) => {
        const ref = await refOf(deployment, name, id);
        const state = await deployment.results.delivery(ref);
        if (!state) throw new CliError(NO_DELIVERY);
        const report = reportResult(ref, state);
        printJson(report);
      }),
    );

  destination
    .command('redrive')
    .description('send dead letters again, with the translations as they are then')
    .argument('<name>', 'the name of the destination')
    .argument('[delivery id]', 'the id of one dead letter')
    .option('--all', 'all dead letters of the destination')
    .action((name: string, id: string | undefined, { all }: SelectOptions) =>
      withDeployment(async (deployment) => {
        if ((id === undefined) === (all === undefined)) throw new UsageError('give the id of a delivery, or --all');
        const { results } = deployment;
        const refs: ResultRef[] =
          id === undefined
            ? await Array.fromAsync(results.list(await filterOf(deployment, name, undefined)))
            : [await refOf(deployment, name, id)];
        if (refs.length === 0) err('No dead letters found.\n');
        for (const ref of refs) {
          const redriven = await results.redrive(ref);
          const state = await results.delivery(ref);
          if (!state) throw new CliError(NO_DELIVERY);
          const { id } = reportResult(ref, state);
          print({ id, redriven }, `${redriven ? 'Open again' : 'Not redriven: it is no dead letter'}: ${id}\n`);
        }
      }),
    );
}

const NO_DELIVERY = `the destination has no delivery with this id, or it ended more than 14 days ago: to see dead letters, run ${SEGUE} destination dead-letters`;

async function filterOf({ destinations }: Deployment, name: string | undefined, companyId: string | undefined) {
  const destination = name === undefined ? undefined : (await destinations.get(name)).destinationId;
  return { destination, companyId };
}

async function refOf({ destinations }: Deployment, name: string, id: string): Promise<ResultRef> {
  const { companyId, destinationId } = await destinations.get(name);
  const parsed = readResultId(id);
  if (!parsed) throw new CliError(NO_DELIVERY);
  return { companyId, destination: destinationId, ...parsed };
}

async function* reports({ results }: Deployment, filter: Parameters<Deployment['results']['list']>[0]) {
  for await (const letter of results.list(filter)) yield reportResult(letter, letter);
}

const LETTERS = tableOf<ResultReport>('No dead letters.', {
  DESTINATION: ({ destination }) => destination,
  ID: ({ id }) => id,
  COMPANY: ({ companyId }) => companyId,
  EVENT: ({ type }) => type,
  LANGUAGE: ({ languageCode = '' }) => languageCode,
  FAILED: ({ endedAtUtc }) => endedAtUtc,
  ATTEMPTS: ({ attempts }) => attempts,
  REASON: ({ failure }) => failure?.reason,
  STATUS: ({ failure }) => failure?.status,
});
