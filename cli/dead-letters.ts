import type { Command } from 'commander';
import { utc } from '../lib/contract/date.ts';
import type { DeadLetter, DeadLetterFilter, DeadLetters } from '../lib/webhooks/dead-letters.ts';
import { stackIn, withPlace } from './place.ts';
import type { Surroundings } from './program.ts';

/** No dead letter is meant by what was said. The message is for the person who asked. */
export class LetterRefusal extends Error {
  override readonly name = 'LetterRefusal';
}

interface Choice {
  readonly company?: string;
  readonly source?: string;
  readonly all?: true;
}

const COMPANY = ['--company <company id>', 'those of a company'] as const;
const SOURCE = ['--source <name>', 'those of a source'] as const;

/** `segue dead-letters list|show|redrive|drop` */
export function addDeadLetterCommands(segue: Command, surroundings: Surroundings): void {
  const { out } = surroundings;
  const inPlace = (work: (letters: DeadLetters) => Promise<void>) =>
    withPlace(surroundings, stackIn(segue), ({ letters }) => work(letters));
  const deadLetters = segue.command('dead-letters').description('messages of webhooks that came to nothing');

  deadLetters
    .command('list')
    .description('show them, the last first')
    .option(...COMPANY)
    .option(...SOURCE)
    .option('--json', 'one JSON object a line')
    .action((options: Choice & { json?: true }) =>
      inPlace(async (letters) => {
        for await (const letter of letters.list(filterOf(options))) {
          out(options.json ? `${JSON.stringify(told(letter))}\n` : line(letter));
        }
      }),
    );

  deadLetters
    .command('show')
    .description('show one as JSON, with every fault; never what it says, unless that is asked for')
    .argument('<source>')
    .argument('<id>')
    .option('--payload', 'and its headers and body')
    .action((source: string, id: string, options: { payload?: true }) =>
      inPlace(async (letters) => {
        const letter = await found(letters, source, id);
        const message = options.payload ? await letters.message(letter) : undefined;
        const payload = message && { headers: message.headers, body: Buffer.from(message.body).toString() };
        out(`${JSON.stringify({ ...told(letter), ...payload }, undefined, 2)}\n`);
      }),
    );

  changing('redrive', 'let them be worked on again, as if they had just come', async (letters, letter) =>
    (await letters.redrive(letter)) ? 'Open again' : 'Its message is there no more, or somebody else was at it',
  );
  changing('drop', 'erase their messages for ever; what they asked for is never done', async (letters, letter) => {
    await letters.drop(letter);
    return 'Dropped';
  });

  /** A command that changes one letter, or all that are meant. */
  function changing(
    name: string,
    description: string,
    change: (letters: DeadLetters, letter: DeadLetter) => Promise<string>,
  ): void {
    const command = deadLetters
      .command(name)
      .description(description)
      .argument('[source]', 'of one')
      .argument('[id]', 'of one')
      .option(...COMPANY)
      .option(...SOURCE)
      .option('--all', 'all that there are');
    command.action((source: string | undefined, id: string | undefined, options: Choice) =>
      inPlace(async (letters) => {
        const chosen = [source, options.company ?? options.source, options.all].filter((given) => given !== undefined);
        if (chosen.length !== 1 || (source === undefined) !== (id === undefined)) {
          throw new LetterRefusal('say which: <source> <id>, --source or --company, or --all');
        }
        if (source !== undefined && id !== undefined) {
          const letter = await found(letters, source, id);
          out(`${await change(letters, letter)}: ${letter.source} ${letter.id}\n`);
          return;
        }
        const meant = await Array.fromAsync(letters.list(filterOf(options)));
        if (meant.length === 0) out('There is none.\n');
        for (const letter of meant) {
          out(`${await change(letters, letter)}: ${letter.source} ${letter.id}\n`);
        }
      }),
    );
  }
}

function filterOf({ company, source }: Choice): DeadLetterFilter {
  return { companyId: company, source };
}

/** @throws {LetterRefusal} */
async function found(letters: DeadLetters, source: string, id: string): Promise<DeadLetter> {
  for await (const letter of letters.list({ source })) if (letter.id === id) return letter;
  throw new LetterRefusal('the source has no dead letter with this id: see segue dead-letters list');
}

/** Ids, times and what went wrong. */
function told({ source, id, companyId, receivedAtMs, endedAtMs, attempts, failure, commands }: DeadLetter) {
  const times = { receivedAtUtc: utc(receivedAtMs), deadSinceUtc: utc(endedAtMs) };
  return { source, id, companyId, ...times, attempts, ...failure, ...(commands && { commands: numbered(commands) }) };
}

/** The state of each command, by its number in the mapping's result. */
export function numbered(commands: NonNullable<DeadLetter['commands']>) {
  return commands.map(({ id: _, ...command }, index) => ({ command: index + 1, ...command }));
}

/** Source, id, company, since when, how often it was tried, and the problem. */
function line(letter: DeadLetter): string {
  const { source, id, companyId, deadSinceUtc, attempts, problem } = told(letter);
  return `${[source, id, companyId, deadSinceUtc, attempts, problem].join('  ')}\n`;
}
