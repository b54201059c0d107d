import type { Command } from 'commander';
import { utc } from '../../lib/contract/date.ts';
import { SEGUE } from '../../lib/contract/segue-command.ts';
import type { ChangedSince } from '../../lib/webhooks/changed-projects.ts';
import type { DeadLetter, DeadLetterFilter, DeadLetters } from '../../lib/webhooks/dead-letters.ts';
import type { DeliveryState } from '../../lib/webhooks/delivery-records.ts';
import { numberCommands } from '../../lib/webhooks/reports.ts';
import { type CliContext, commandLine, type Deployment } from './deployment.ts';
import { CliError, UsageError } from './io.ts';
import { formatCounts, formatPuts, previewDelivery } from './source-test.ts';
import { tableOf } from './table.ts';

interface LetterOptions {
  readonly company?: string;
  readonly source?: string;
  readonly all?: true;
  readonly dryRun?: true;
}

const COMPANY = ['--company <company id>', 'the dead letters of this company'] as const;
const DRY_RUN = ['--dry-run', 'show what the commands would do now, or why they would fail; nothing runs'] as const;
const SOURCE = ['--source <name>', 'the dead letters of this source'] as const;

/** Adds the commands `segue dead-letters list|show|redrive|drop`. */
export function addDeadLetterCommands(segue: Command, context: CliContext): void {
  const { err, print, printJson, printList, withDeployment } = context;
  const line = (...args: string[]) => commandLine(context.stackName(), args);
  const deadLetters = segue.command('dead-letters');

  deadLetters
    .command('list')
    .description(
      'show dead letters, the latest first. CHANGED: what happened to a project of the message after the message came: deleted, or created again. A redrive may undo it',
    )
    .option(...COMPANY)
    .option(...SOURCE)
    .action((options: LetterOptions) => withDeployment(({ letters }) => printList(printed(letters, options), LETTERS)));

  deadLetters
    .command('show')
    .description('show a dead letter as JSON, with every fault')
    .argument('<source>')
    .argument('<id>')
    .option('--payload', 'include the headers and the body of the message')
    .action((source: string, id: string, options: { payload?: true }) =>
      withDeployment(async (deployment) => {
        const { letters } = deployment;
        const letter = await findLetter(deployment, source, id);
        const message = options.payload ? await letters.message(letter) : undefined;
        const payload = message && { headers: message.headers, body: Buffer.from(message.body).toString() };
        const shown = { ...(await printable(letters, letter)), ...payload };
        printJson(shown);
        err(
          `To try a mapping with it, run: ${line('source', 'test', source, '--delivery', id, '--mapping', '<file>')}\n` +
            `To process it again, run: ${line('dead-letters', 'redrive', source, id)}\n`,
        );
      }),
    );

  addChange(
    'redrive',
    'process dead letters again, as if they had just arrived',
    async (letters, letter, isNamed) => {
      const warning = changeText(await letters.changedSince(letter));
      if (warning && !isNamed) return `Not redriven, because ${warning}. To redrive it all the same, name it`;
      if (warning) err(`Warning: ${warning}.\n`);
      return (await letters.redrive(letter))
        ? 'Open again'
        : 'Not redriven: the message is gone, or another command changed the dead letter';
    },
    { after: `To see a result, run: ${SEGUE} source delivery <source> <id>\n`, hasDryRun: true },
  );
  addChange(
    'drop',
    'erase the messages of dead letters; they can never be processed again',
    async (letters, letter) => {
      await letters.drop(letter);
      return 'Dropped';
    },
  );

  /** Prints what a redrive of a dead letter would do now. */
  async function showAttempt(deployment: Deployment, letter: DeadLetter): Promise<void> {
    const { source, id } = letter;
    try {
      const preview = await previewDelivery(deployment, letter);
      const puts = preview.puts.map((put) => put ?? null);
      const text = `Would run ${formatCounts(preview)}: ${source} ${id}\n${formatPuts(preview)}`;
      print({ source, id, result: 'would run', commands: preview.commands.length, puts }, text);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      print({ source, id, result: 'would fail', detail: error.message }, `Would fail: ${source} ${id}\n`);
      err(`${error.faults}${error.message}\n`);
    }
  }

  /** Adds a command that changes one dead letter, or all dead letters that its options select. */
  function addChange(
    name: string,
    description: string,
    change: (letters: DeadLetters, letter: DeadLetter, isNamed: boolean) => Promise<string>,
    { after, hasDryRun = false }: { readonly after?: string; readonly hasDryRun?: boolean } = {},
  ): void {
    const command = deadLetters.command(name);
    if (hasDryRun) command.option(...DRY_RUN);
    command
      .description(description)
      .argument('[source]', 'the source of one dead letter')
      .argument('[id]', 'the id of one dead letter')
      .option(...COMPANY)
      .option(...SOURCE)
      .option('--all', 'all dead letters')
      .action((source: string | undefined, id: string | undefined, options: LetterOptions) =>
        withDeployment(async (deployment) => {
          const { letters } = deployment;
          const given = [source, options.company ?? options.source, options.all].filter((each) => each !== undefined);
          if (given.length !== 1 || (source === undefined) !== (id === undefined)) {
            throw new UsageError('select dead letters by <source> <id>, by --source or --company, or by --all');
          }
          const isNamed = source !== undefined;
          const selected =
            source !== undefined && id !== undefined
              ? [await findLetter(deployment, source, id)]
              : await Array.fromAsync(letters.list(filterOf(options)));
          if (selected.length === 0) err('No dead letters found.\n');
          if (options.dryRun) {
            for (const letter of selected) await showAttempt(deployment, letter);
            return;
          }
          for (const letter of selected) {
            const { source, id } = letter;
            const result = await change(letters, letter, isNamed);
            print({ source, id, result }, `${result}: ${source} ${id}\n`);
          }
          if (selected.length > 0 && after) err(after);
        }),
      );
  }
}

function filterOf({ company, source }: LetterOptions): DeadLetterFilter {
  return { companyId: company, source };
}

/**
 * Finds a dead letter by its source and id.
 * @throws {CliError | SourceRefusal} if there is no such dead letter, or no such source
 */
async function findLetter({ letters, sources }: Deployment, source: string, id: string): Promise<DeadLetter> {
  for await (const letter of letters.list({ source })) if (letter.id === id) return letter;
  const state = await letters.delivery({ source, id });
  if (state) throw new CliError(`the delivery is not a dead letter: ${NOT_DEAD[state.kind]}`);
  await sources.get(source);
  throw new CliError(
    `the source has no dead letter with this id: to see its dead letters, run ${SEGUE} dead-letters list`,
  );
}

const NOT_DEAD: Readonly<Record<DeliveryState['kind'], string>> = {
  open: 'it is open, so Segue is still trying',
  done: 'it is done',
  dropped: 'it was dropped, so its message is gone',
  dead: 'another command is changing it',
};

/** Says what a redriven message may undo; `undefined` if nothing is known. */
function changeText(changed: ChangedSince | undefined): string | undefined {
  if (!changed) return undefined;
  const { deletedAtUtc, createdAtUtc } = changed;
  return createdAtUtc === undefined
    ? `a project of this message was deleted at ${deletedAtUtc}, after the message came: it may be created again`
    : `a project of this message was created at ${createdAtUtc}, after the message came: the message may delete it, or put an older text in its place`;
}

async function* printed(letters: DeadLetters, options: LetterOptions) {
  for await (const letter of letters.list(filterOf(options))) yield await printable(letters, letter);
}

type Printable = Awaited<ReturnType<typeof printable>>;

/** Returns the fields of a dead letter that hold no content: ids, times and the failure. */
async function printable(letters: DeadLetters, letter: DeadLetter) {
  const { source, id, companyId, receivedAtMs, endedAtMs, attempts, failure, commands } = letter;
  const times = { receivedAtUtc: utc(receivedAtMs), deadSinceUtc: utc(endedAtMs) };
  const changed = await letters.changedSince(letter);
  return {
    source,
    id,
    companyId,
    ...times,
    attempts,
    ...failure,
    ...(changed && { changedSince: changed }),
    ...(commands && { commands: numberCommands(commands) }),
  };
}

const LETTERS = tableOf<Printable>('No dead letters.', {
  SOURCE: ({ source }) => source,
  ID: ({ id }) => id,
  COMPANY: ({ companyId }) => companyId,
  FAILED: ({ deadSinceUtc }) => deadSinceUtc,
  ATTEMPTS: ({ attempts }) => attempts,
  PROBLEM: ({ problem }) => problem,
  CHANGED: ({ changedSince: since }) => (since ? (since.createdAtUtc === undefined ? 'deleted' : 'created') : ''),
});
