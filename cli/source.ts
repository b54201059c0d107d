import { type Command, InvalidArgumentError } from 'commander';
import * as z from 'zod/mini';
import type { CompanyState } from '../lib/credentials/company-record.ts';
import { schemeOf } from '../lib/webhooks/signature-schemes/schemes.ts';
import { type ListedSource, SOURCE_SCOPES, type SourceScope } from '../lib/webhooks/sources.ts';
import { type Place, stackIn, withPlace } from './place.ts';
import type { Surroundings } from './program.ts';
import { readMapping } from './sample.ts';
import { addSchemeOptions, readScheme } from './scheme.ts';
import { addSourceDeliveryCommand } from './source-delivery.ts';
import { addSourceSendCommand } from './source-send.ts';
import { addSourceTestCommand } from './source-test.ts';
import { madeOf, tried } from './tried.ts';

const MAPPING = ['--mapping <file>', 'a JSONata expression from { headers, body } to a command'] as const;
const SAMPLE = ['--sample <file>', 'a message of the sender in JSON, for which the mapping is tried'] as const;
const FROM_STDIN = ['--secret-from-stdin', 'take the secret from standard input instead of making one'] as const;

interface ChangeOptions {
  readonly mapping: string;
  readonly sample: string;
}

interface AddOptions extends ChangeOptions {
  readonly company: string;
  readonly scopes: readonly SourceScope[];
  readonly secretFromStdin?: true;
}

interface RotateOptions {
  readonly secretFromStdin?: true;
  readonly dropOld?: true;
}

/** `segue source add|test|send|delivery|change|rotate|remove|list` */
export function addSourceCommands(segue: Command, surroundings: Surroundings): void {
  const { out, readStdin = async () => '' } = surroundings;
  const inPlace = <T>(work: (place: Place) => Promise<T>) => withPlace(surroundings, stackIn(segue), work);
  const source = segue.command('source').description('senders of webhooks, and what their messages mean');

  addSourceTestCommand(source, segue, surroundings);
  addSourceSendCommand(source, segue, surroundings);
  addSourceDeliveryCommand(source, segue, surroundings);
  const add = source
    .command('add')
    .description('take messages of a sender from now on; its secret is shown this once')
    .argument('<name>', '1 to 63 of a-z 0-9 -, which stands in the URL')
    .requiredOption('--company <company id>', 'whose projects its messages are about')
    .requiredOption(...MAPPING)
    .requiredOption(...SAMPLE)
    .option('--scopes <scopes>', 'what its messages may ask for: create, delete', readScopes, SOURCE_SCOPES)
    .option(...FROM_STDIN);
  addSchemeOptions(add).action(async (name: string, options: AddOptions) => {
    const scheme = readScheme(add, options);
    const mapping = await readMapping(options.mapping);
    const made = await tried(mapping, options.sample, surroundings, options.scopes);
    const newSecret = options.secretFromStdin ? undefined : schemeOf(scheme).newSecret();
    const secret = newSecret ?? (await readSecret(readStdin));
    const { url, state } = await inPlace(async ({ sources, companies, webhookUrl }) => {
      await sources.add({ name, companyId: options.company, mapping, scheme, scopes: options.scopes }, secret);
      return { url: webhookUrl(name), state: await companies.stateOf(options.company) };
    });
    out(`${shown(newSecret, state)}Its messages go to ${url}\n${madeOf(made)}\n`);
  });

  source
    .command('change')
    .description('give a source another mapping, for whatever is worked on from now on')
    .argument('<name>')
    .requiredOption(...MAPPING)
    .requiredOption(...SAMPLE)
    .action(async (name: string, options: ChangeOptions) => {
      const mapping = await readMapping(options.mapping);
      const made = await inPlace(async ({ sources }) => {
        const source = await sources.get(name);
        const command = await tried(mapping, options.sample, surroundings, source.scopes);
        await sources.remap(name, mapping, source);
        return command;
      });
      out(`Changed, for whatever is worked on from now on.\n${madeOf(made)}\n`);
    });

  source
    .command('rotate')
    .description('give a source another secret, which is shown this once; the one before stays live beside it')
    .argument('<name>')
    .option(...FROM_STDIN)
    .option('--drop-old', 'give it none: end the one before the newest, once its sender signs with that')
    .action(async (name: string, { secretFromStdin, dropOld }: RotateOptions) => {
      if (dropOld && secretFromStdin) segue.error('error: --drop-old gives no secret: leave out --secret-from-stdin');
      if (dropOld) {
        await inPlace(({ sources }) => sources.dropOld(name));
        out('Its newest secret alone is live from now on.\n');
        return;
      }
      const given = secretFromStdin ? await readSecret(readStdin) : undefined;
      const rotated = await inPlace(async ({ sources, companies }) => {
        const source = await sources.get(name);
        const secret = given ?? schemeOf(source.scheme).newSecret();
        await sources.rotate(name, secret, source);
        return { made: given === undefined ? secret : undefined, state: await companies.stateOf(source.companyId) };
      });
      out(
        `${shown(rotated.made, rotated.state)}The one before stays live until source rotate ${name} --drop-old, or another rotation.\n`,
      );
    });

  source
    .command('remove')
    .description('take no more messages of a source, from the next one on')
    .argument('<name>')
    .action(async (name: string) => {
      await inPlace(({ sources }) => sources.remove(name));
      out('Removed. What was taken in before and is not done by now becomes a dead letter.\n');
    });

  source
    .command('list')
    .description('show the sources')
    .option('--json', 'one JSON object a line')
    .action((options: { json?: true }) =>
      inPlace(async ({ sources }) => {
        for await (const entry of sources.list()) out(options.json ? `${JSON.stringify(told(entry))}\n` : line(entry));
      }),
    );
}

const Scopes = z.array(z.enum(SOURCE_SCOPES)).check(z.minLength(1));

function readScopes(text: string): readonly SourceScope[] {
  const read = Scopes.safeParse(text.split(','));
  if (!read.success) throw new InvalidArgumentError('Give create, delete or both, with a comma between.');
  return SOURCE_SCOPES.filter((scope) => read.data.includes(scope));
}

/** The first line of what is put in. */
async function readSecret(readStdin: () => Promise<string>): Promise<string> {
  const [line = ''] = (await readStdin()).split(/\r?\n/);
  return line;
}

function shown(made: string | undefined, state: CompanyState): string {
  const live = state === 'active' ? 'It is live from now on' : 'It is live once the company is resumed';
  return made === undefined ? '' : `Secret: ${made}\n${live}, and shown this once.\n`;
}

/** What is told of a source: everything but its id and where its secrets are. */
function told({ sourceId: _, secretsAt: __, ...source }: ListedSource) {
  return source;
}

/** Name, company, scopes, scheme, how many secrets are live, since when, and when they were changed. */
function line({ name, companyId, scopes, scheme, liveSecrets, createdAtUtc, rotatedAtUtc }: ListedSource): string {
  const secrets = liveSecrets === 1 ? '1 secret' : `${liveSecrets} secrets`;
  return `${[name, companyId, (scopes ?? SOURCE_SCOPES).join(), scheme.name, secrets, createdAtUtc, rotatedAtUtc].filter(Boolean).join('  ')}\n`;
}
