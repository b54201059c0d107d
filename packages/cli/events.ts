import type { Command } from 'commander';
import { utc } from '../../lib/contract/date.ts';
import { NO_SUCH_COMPANY, SEGUE } from '../../lib/contract/segue-command.ts';
import type { NewEventSecret } from '../../lib/credentials/event-secrets.ts';
import type { FailedEvent, FailedEvents } from '../../lib/events/deliveries.ts';
import type { CliContext, Deployment } from './deployment.ts';
import { CliError, UsageError } from './io.ts';
import { tableOfRows } from './table.ts';

interface SelectOptions {
  readonly company?: string;
  readonly all?: true;
}

const COMPANY = ['--company <company id>', 'the events of this company'] as const;

/** Adds the commands `segue events secret|rotate|list|show|resend`. */
export function addEventCommands(
  segue: Command,
  { err, print, printJson, printList, withDeployment }: CliContext,
): void {
  const events = segue.command('events');

  events
    .command('secret')
    .description('print the newest secret that signs the events of a company; the first call makes it')
    .argument('<company id>')
    .action(async (companyId: string) => {
      const made = await withDeployment(async (deployment) => {
        await requireCompany(deployment, companyId);
        return deployment.eventSecrets.current(companyId);
      });
      print({ companyId, secret: made.secret }, formatSecret(made));
    });

  events
    .command('rotate')
    .description('give a company a new event secret and print it; the previous secret signs too, until you drop it')
    .argument('<company id>')
    .option(
      '--drop-old',
      'end the previous secret instead of making a new one; use it when the receiver has the newest',
    )
    .action(async (companyId: string, { dropOld }: { dropOld?: true }) => {
      const made = await withDeployment(async (deployment) => {
        await requireCompany(deployment, companyId);
        if (!dropOld) return deployment.eventSecrets.rotate(companyId);
        await deployment.eventSecrets.dropOld(companyId);
        return undefined;
      });
      if (!made)
        return print({ companyId, liveSecrets: 1 }, 'Only the company’s newest event secret is live from now on.\n');
      const next = `events rotate ${companyId} --drop-old`;
      const old =
        made.liveSecrets > 1 ? `The previous secret stays live until you run ${next}, or rotate again.\n` : '';
      return print({ companyId, ...made }, formatSecret(made) + old);
    });

  events
    .command('list')
    .description('show the events that could not be sent in three days, the latest first')
    .option(...COMPANY)
    .action(({ company }: SelectOptions) =>
      withDeployment(({ failedEvents }) => printList(failedEvents.list(company), FAILED, printable)),
    );

  events
    .command('show')
    .description('show an event that could not be sent as JSON, with its failure and its URL')
    .argument('<event id>')
    .action((id: string) =>
      withDeployment(async ({ failedEvents }) => {
        const failed = await findFailed(failedEvents, id);
        const shown = { ...printable(failed), eventUrl: failed.eventUrl, event: failed.event };
        printJson(shown);
      }),
    );

  events
    .command('resend')
    .description('send events again that could not be sent, for another three days')
    .argument('[event id]', 'the id of one event')
    .option(...COMPANY)
    .option('--all', 'the events of all companies')
    .action((id: string | undefined, { company, all }: SelectOptions) =>
      withDeployment(async ({ failedEvents }) => {
        if ([id, company, all].filter((each) => each !== undefined).length !== 1) {
          throw new UsageError('select events by <event id>, by --company, or by --all');
        }
        const selected =
          id === undefined ? await Array.fromAsync(failedEvents.list(company)) : [await findFailed(failedEvents, id)];
        if (selected.length === 0) err('No failed events found.\n');
        for (const failed of selected) {
          const resent = await failedEvents.resend(failed);
          const { id } = failed.event;
          print({ id, resent }, `${resent ? 'Open again' : 'Not resent: another command resent it'}: ${id}\n`);
        }
      }),
    );
}

/** @throws {CliError} if the company does not exist */
async function requireCompany(deployment: Deployment, companyId: string): Promise<void> {
  if (!(await deployment.isCompany(companyId))) throw new CliError(NO_SUCH_COMPANY);
}

function formatSecret({ secret }: NewEventSecret): string {
  return `Event secret: ${secret}\nThe receiver verifies events with it, as Standard Webhooks says.\n`;
}

/** Finds a failed delivery by the id of its event. @throws {CliError} if there is none */
async function findFailed(failedEvents: FailedEvents, id: string): Promise<FailedEvent> {
  for await (const failed of failedEvents.list()) if (failed.event.id === id) return failed;
  throw new CliError(`no failed event has this id: to see the failed events, run ${SEGUE} events list`);
}

/** Returns the fields of a failed delivery without its URL: ids, times and the failure. */
function printable({ companyId, event, attempts, endedAtMs, failure }: FailedEvent) {
  const { id, type, sequence } = event;
  const of = { id, companyId, type, projectId: event.data.projectId, sequence };
  return { ...of, recordedAtUtc: event.timestamp, failedAtUtc: utc(endedAtMs), attempts, ...failure };
}

const FAILED = tableOfRows(
  'No failed events.',
  {
    EVENT: ({ id }) => id,
    COMPANY: ({ companyId }) => companyId,
    TYPE: ({ type }) => type,
    PROJECT: ({ projectId }) => projectId,
    FAILED: ({ failedAtUtc }) => failedAtUtc,
    ATTEMPTS: ({ attempts }) => attempts,
    REASON: ({ reason, status, code }) => [reason, status ?? code].filter(Boolean).join(' '),
  },
  (failed: FailedEvent) => [printable(failed)],
);
