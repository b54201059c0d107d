import type { Command } from 'commander';
import type { CompanyState } from '../../lib/credentials/company-record.ts';
import { schemeOf } from '../../lib/signatures/schemes.ts';
import { reportSource } from '../../lib/webhooks/reports.ts';
import { type ListedSource, SOURCE_SCOPES, type SourceScope } from '../../lib/webhooks/sources.ts';
import type { CliContext } from './deployment.ts';
import { readText } from './files.ts';
import { parseCompanyId, scopesParser, UsageError } from './io.ts';
import { readSample } from './sample.ts';
import { addSourceDeliveryCommand, addSourceSendCommand } from './source-delivery.ts';
import {
  addFetchOptions,
  changesFetch,
  type FetchOptions,
  formatFetch,
  parseChangedFetch,
  parseNewFetch,
  readSecrets,
} from './source-fetch.ts';
import { addSchemeOptions, formatScheme, parseScheme, type SchemeOptions } from './source-scheme.ts';
import { addSourceTestCommand, countsOf, formatPreview, parseSourceName, previewWithFetch } from './source-test.ts';
import { tableOf } from './table.ts';

const MAPPING = [
  '--mapping <file>',
  'a file with a JSONata expression that makes commands from { headers, body }, and from `fetched` with --fetch',
] as const;
const SAMPLE = [
  '--sample <file>',
  'a file with a message of the sender, as JSON; the mapping is tested with it',
] as const;
const SCOPES = [
  '--scopes <scopes>',
  'what the source’s messages may do: create, update, delete; several separated by commas',
  scopesParser(SOURCE_SCOPES, 'Give one or more of create, update and delete, separated by commas.'),
] as const;
const FROM_STDIN = [
  '--secret-from-stdin',
  'read the secret from standard input, from its first line, instead of making one',
] as const;

interface ChangeOptions extends FetchOptions {
  readonly mapping?: string;
  readonly sample?: string;
  readonly scopes?: readonly SourceScope[];
}

interface AddOptions extends FetchOptions, SchemeOptions {
  readonly company: string;
  readonly mapping: string;
  readonly sample: string;
  readonly scopes: readonly SourceScope[];
  readonly secretFromStdin?: true;
}

interface RotateOptions {
  readonly secretFromStdin?: true;
  readonly dropOld?: true;
}

/** Adds the commands `segue source add|test|send|delivery|change|rotate|remove|list`. */
export function addSourceCommands(segue: Command, context: CliContext): void {
  const { print, printList, readStdin, withDeployment } = context;
  const source = segue.command('source');

  addSourceTestCommand(source, context);
  addSourceSendCommand(source, context);
  addSourceDeliveryCommand(source, context);
  const add = source
    .command('add')
    .description('accept the messages of a sender and print its secret; the secret is shown only once')
    .argument('<name>', '1 to 63 of a-z 0-9 -, not - at the start; part of the URL', parseSourceName)
    .requiredOption(
      '--company <company id>',
      'the company for which the messages create, change and delete projects',
      parseCompanyId,
    )
    .requiredOption(...MAPPING)
    .requiredOption(...SAMPLE)
    .option(...SCOPES, SOURCE_SCOPES)
    .option(...FROM_STDIN);
  addFetchOptions(add).action(async (name: string, options: AddOptions) => {
    const { company: companyId, scopes, messageId, dedupe: dedupeMinutes } = options;
    const scheme = parseScheme(add, options);
    const fetch = parseNewFetch(add, options);
    const mapping = await readText(options.mapping);
    const file = { path: options.mapping, text: mapping };
    const newSecret = options.secretFromStdin ? undefined : schemeOf(scheme).newSecret();
    const {
      url,
      note = '',
      state,
      preview,
    } = await withDeployment(async ({ sources, companies, webhookUrl, allowsLoopbackEvents }) => {
      const rules = { scopes, allowsLoopbackEvents: await allowsLoopbackEvents() };
      const preview = await previewWithFetch(file, await readSample(options.sample), { ...rules, fetch });
      const { secret = newSecret ?? '', fetchSecret } = await readSecrets(readStdin, options);
      const fetched = fetch && { fetch: { ...fetch, secret: fetchSecret } };
      await sources.add({ name, companyId, mapping, scheme, scopes, messageId, dedupeMinutes, ...fetched }, secret);
      return { ...webhookUrl(name), state: await companies.stateOf(companyId), preview };
    });
    const { queryParameter } = schemeOf(scheme);
    const query = queryParameter === undefined ? '' : `The sender must add ?${queryParameter}=<secret> to this URL.\n`;
    const next = `The sender must send its messages to ${url}\n${query}${note}${formatPreview(preview)}\n`;
    print({ name, companyId, url, secret: newSecret }, formatSecret(newSecret, state) + next);
  });

  addSchemeOptions(add);

  const change = source
    .command('change')
    .description('give a source another mapping, fetch or scopes, for all messages that are processed from now on')
    .argument('<name>')
    .option(...MAPPING)
    .option(...SAMPLE)
    .option(...SCOPES);
  addFetchOptions(change)
    .option('--no-fetch', 'fetch nothing any more, and delete the secret of the fetch')
    .action(async (name: string, options: ChangeOptions) => {
      const { mapping: path, sample, scopes } = options;
      if (path === undefined && scopes === undefined && !changesFetch(options))
        throw new UsageError('say what to change: give --mapping, --scopes or a fetch, or several of them');
      if (sample === undefined && (path !== undefined || typeof options.fetch === 'string'))
        throw new UsageError('a mapping or fetch is tested before it is used: give --sample <file>');
      const mapping = path === undefined ? undefined : await readText(path);
      const preview = await withDeployment(async ({ sources, allowsLoopbackEvents }) => {
        const source = await sources.get(name);
        const fetch = parseChangedFetch(change, options, source.fetch);
        const tested = { path: path ?? `mapping of ${name}`, text: mapping ?? source.mapping };
        const rules = { scopes: scopes ?? source.scopes, allowsLoopbackEvents: await allowsLoopbackEvents() };
        const fetched = fetch === undefined ? source.fetch : (fetch ?? undefined);
        const tried =
          sample && (await previewWithFetch(tested, await readSample(sample), { ...rules, fetch: fetched }));
        const { fetchSecret } = await readSecrets(readStdin, { fetchSecretFromStdin: options.fetchSecretFromStdin });
        await sources.change(name, { mapping, scopes, fetch: fetch && { ...fetch, secret: fetchSecret } }, source);
        return tried;
      });
      const text = [
        'Changed, for all messages that are processed from now on.',
        ...(scopes ? [`The source has the ${scopes.length > 1 ? 'scopes' : 'scope'} ${LIST.format(scopes)}.`] : []),
        ...(sample === undefined ? [] : [formatPreview(preview || undefined)]),
      ];
      print({ name, ...(scopes && { scopes }), ...(preview && countsOf(preview)) }, `${text.join('\n')}\n`);
    });

  source
    .command('rotate')
    .description('give a source a new secret and print it; it is shown only once. The previous secret stays live')
    .argument('<name>')
    .option(...FROM_STDIN)
    .option(
      '--drop-old',
      'end the previous secret instead of making a new one; use it when the sender signs with the newest',
    )
    .action(async (name: string, { secretFromStdin, dropOld }: RotateOptions) => {
      if (dropOld && secretFromStdin) segue.error('error: --drop-old takes no secret: leave out --secret-from-stdin');
      if (dropOld) {
        await withDeployment(({ sources }) => sources.dropOld(name));
        print({ name, liveSecrets: 1 }, 'Only the source’s newest secret is live from now on.\n');
        return;
      }
      const { secret: given } = await readSecrets(readStdin, { secretFromStdin });
      const { made, state } = await withDeployment(async ({ sources, companies }) => {
        const source = await sources.get(name);
        const secret = given ?? schemeOf(source.scheme).newSecret();
        await sources.rotate(name, secret, source);
        return { made: given === undefined ? secret : undefined, state: await companies.stateOf(source.companyId) };
      });
      const next = `source rotate ${name} --drop-old`;
      const text = `The previous secret stays live until you run ${next}, or rotate again.\n`;
      print({ name, secret: made }, formatSecret(made, state) + text);
    });

  source
    .command('remove')
    .description('remove a source; its messages are refused from then on')
    .argument('<name>')
    .action(async (name: string) => {
      await withDeployment(({ sources }) => sources.remove(name));
      const text = 'Removed. Messages that were received before and are not done become dead letters.\n';
      print({ name, removed: true }, text);
    });

  source
    .command('list')
    .description('show the sources')
    .action(() => withDeployment(({ sources }) => printList(sources.list(), SOURCES, reportSource)));
}

const LIST = new Intl.ListFormat('en-GB');

function formatSecret(newSecret: string | undefined, state: CompanyState): string {
  const live = state === 'active' ? 'The secret is live from now on' : 'The secret is live once the company is resumed';
  return newSecret === undefined ? '' : `Secret: ${newSecret}\n${live}, and shown only this once.\n`;
}

const SOURCES = tableOf<ListedSource>('No webhook sources.', {
  SOURCE: ({ name }) => name,
  COMPANY: ({ companyId }) => companyId,
  SCOPES: ({ scopes }) => (scopes ?? SOURCE_SCOPES).join(),
  SCHEME: formatScheme,
  SECRETS: ({ liveSecrets }) => liveSecrets,
  FETCHES: formatFetch,
  CREATED: ({ createdAtUtc }) => createdAtUtc,
  ROTATED: ({ rotatedAtUtc }) => rotatedAtUtc,
});
