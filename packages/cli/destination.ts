import { type Command, InvalidArgumentError } from 'commander';
import { EVENT_TYPES } from '../../lib/contract/event.ts';
import type { DestinationSecret } from '../../lib/destinations/destination-admin.ts';
import { DESTINATION_NAME, type Destination } from '../../lib/destinations/destinations.ts';
import { reportDestination } from '../../lib/destinations/reports.ts';
import type { CliContext } from './deployment.ts';
import { addDestinationDeliveryCommands } from './destination-deliveries.ts';
import { addDestinationTestCommand, checkMapping } from './destination-test.ts';
import { readText } from './files.ts';
import { parseCompanyId, readSecretLines, scopesParser, UsageError } from './io.ts';
import { tableOf } from './table.ts';

const MAPPING = 'a file with a JSONata expression that makes requests from { event, project, language, segments }';
const FETCH = [
  '--fetch <jsonata>',
  'an expression for the URL of the page that Segue reads before it runs the mapping, which gets it as fetched; the secret is sent to it too',
] as const;
const HOST = 'a host to which requests may go, with its port unless that is 443; several with spaces between them';
const ON = 'the types of events after which results are sent, such as language.completed; several separated by commas';
const SECRET = ['--secret-from-stdin', 'read the secret, the whole value of its header, from standard input'] as const;
const HEADER = ['--secret-header <name>', 'the header in which Segue sends the secret, such as Authorization'] as const;

const parseTypes = scopesParser(EVENT_TYPES, `Give one or more of ${EVENT_TYPES.join(', ')}, separated by commas.`);

interface ChangeOptions {
  readonly mapping?: string;
  /** `false` with `--no-fetch`. */
  readonly fetch?: string | false;
  readonly on?: readonly string[];
  readonly host?: readonly string[];
}

interface SecretOptions {
  readonly secretFromStdin?: true;
  readonly secretHeader?: string;
}

interface AddOptions extends Required<Omit<ChangeOptions, 'fetch'>>, SecretOptions {
  readonly company: string;
  readonly fetch?: string;
}

/** Adds the commands `segue destination add|test|change|rotate|remove|list|dead-letters|delivery|redrive`. */
export function addDestinationCommands(segue: Command, context: CliContext): void {
  const { print, printList, readStdin, withDeployment } = context;
  const destination = segue.command('destination');

  addDestinationTestCommand(destination, context);
  addDestinationDeliveryCommands(destination, context);

  destination
    .command('add')
    .description('send the translations of a company to another system after events; content leaves Segue then')
    .argument('<name>', '1 to 63 of a-z 0-9 -, not - at the start', parseDestinationName)
    .requiredOption('--company <company id>', 'the company whose translations are sent', parseCompanyId)
    .requiredOption('--on <types>', ON, parseTypes)
    .requiredOption('--mapping <file>', MAPPING)
    .requiredOption('--host <hosts...>', HOST)
    .option(...FETCH)
    .option(...SECRET)
    .option(...HEADER)
    .action(async (name: string, options: AddOptions) => {
      const { company: companyId, on, host: hosts, fetch, secretHeader: header } = options;
      if ((header === undefined) !== (options.secretFromStdin === undefined))
        throw new UsageError('give --secret-from-stdin and --secret-header together, or neither of them');
      const mapping = await readText(options.mapping);
      await checkMapping({ path: options.mapping, text: mapping });
      if (fetch !== undefined) await checkMapping(fetchFile(fetch), 'fetch expression');
      const secret: DestinationSecret | undefined =
        header === undefined ? undefined : { header, secret: await readSecret(readStdin) };
      const state = await withDeployment(async ({ destinations, companies }) => {
        await destinations.add({ name, companyId, mapping, ...(fetch !== undefined && { fetch }), on, hosts }, secret);
        return companies.stateOf(companyId);
      });
      const waits = state === 'suspended' ? 'The company is suspended: results wait until it is resumed.\n' : '';
      const text = `Added. After each of these events from now on, results go to ${hosts.join(', ')}.\n${waits}`;
      print({ name, companyId, on, hosts }, text);
    });

  destination
    .command('change')
    .description(
      'give a destination another mapping or fetch, other events or other hosts; open deliveries use them too',
    )
    .argument('<name>')
    .option('--mapping <file>', MAPPING)
    .option(...FETCH)
    .option('--no-fetch', 'read no page any more')
    .option('--on <types>', ON, parseTypes)
    .option('--host <hosts...>', HOST)
    .action(async (name: string, { mapping: path, fetch, on, host: hosts }: ChangeOptions) => {
      if (path === undefined && fetch === undefined && !on && !hosts)
        throw new UsageError('give --mapping, --fetch, --no-fetch, --on or --host');
      const mapping = path === undefined ? undefined : { path, text: await readText(path) };
      if (mapping) await checkMapping(mapping);
      if (typeof fetch === 'string') await checkMapping(fetchFile(fetch), 'fetch expression');
      const fetched = fetch === undefined ? {} : { fetch: fetch === false ? null : fetch };
      const change = {
        ...(mapping && { mapping: mapping.text }),
        ...fetched,
        ...(on && { on }),
        ...(hosts && { hosts }),
      };
      await withDeployment(({ destinations }) => destinations.change(name, change));
      print({ name, changed: true }, 'Changed, for all deliveries from now on.\n');
    });

  destination
    .command('rotate')
    .description('give a destination another secret, which its next request has')
    .argument('<name>')
    .requiredOption(...SECRET)
    .option(...HEADER)
    .action(async (name: string, { secretHeader }: SecretOptions) => {
      const secret = await readSecret(readStdin);
      await withDeployment(({ destinations }) => destinations.rotate(name, secret, secretHeader));
      print({ name, rotated: true }, 'The next request has the new secret.\n');
    });

  destination
    .command('remove')
    .description('remove a destination with its secret; its open deliveries end')
    .argument('<name>')
    .action(async (name: string) => {
      await withDeployment(({ destinations }) => destinations.remove(name));
      print({ name, removed: true }, 'Removed. Nothing more is sent to it.\n');
    });

  destination
    .command('list')
    .description('show the destinations')
    .option('--company <company id>', 'the destinations of this company', parseCompanyId)
    .action(({ company }: { company?: string }) =>
      withDeployment(({ destinations }) => printList(destinations.list(company), DESTINATIONS, reportDestination)),
    );
}

function parseDestinationName(text: string): string {
  if (DESTINATION_NAME.test(text)) return text;
  throw new InvalidArgumentError(
    'The name of a destination must have 1 to 63 characters of a-z, 0-9 and -, and must not begin with -.',
  );
}

/** Returns a fetch expression of the command line, for the faults in it. */
const fetchFile = (text: string) => ({ path: '--fetch', text });

async function readSecret(readStdin: CliContext['readStdin']): Promise<string> {
  const [line = ''] = await readSecretLines(readStdin);
  return line;
}

const DESTINATIONS = tableOf<Destination>('No destinations.', {
  DESTINATION: ({ name }) => name,
  COMPANY: ({ companyId }) => companyId,
  ON: ({ on }) => on.join(),
  HOSTS: ({ hosts }) => hosts.join(),
  SECRET: ({ secretHeader = '' }) => secretHeader,
  CREATED: ({ createdAtUtc }) => createdAtUtc,
  ROTATED: ({ rotatedAtUtc }) => rotatedAtUtc,
});
