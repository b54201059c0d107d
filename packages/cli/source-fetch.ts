import { type Command, InvalidArgumentError } from 'commander';
import { ALLOWED_HOST_RULE, parseAllowedHost } from '../../lib/service/allowed-hosts.ts';
import type { NewFetch } from '../../lib/webhooks/source-admin.ts';
import { FETCH_HEADER } from '../../lib/webhooks/source-fetch.ts';
import type { ListedSource, SourceFetch } from '../../lib/webhooks/sources.ts';
import type { CliContext, Deployment } from './deployment.ts';
import { CliError, readSecretLines } from './io.ts';
import type { Sample } from './sample.ts';

/** The options of a fetch. */
export interface FetchOptions {
  /** `false` with `--no-fetch`. */
  readonly fetch?: string | false;
  readonly fetchHost?: readonly string[];
  readonly fetchHeader?: string;
  readonly fetchSecretFromStdin?: true;
}

/** Adds the options of a fetch to a command that adds or changes a source. */
export function addFetchOptions(command: Command): Command {
  return command
    .option(
      '--fetch <jsonata>',
      'fetch an entry before the mapping, which gets it as `fetched`: a JSONata expression that gives a URL from { headers, body }, an array of URLs, or nothing',
    )
    .option(
      '--fetch-host <host>',
      'a host that the URL may have, such as cdn.example.com; give the option once for each host',
      collectHosts,
    )
    .option(
      '--fetch-secret-from-stdin',
      'read from standard input the value of a header for the fetch, such as Bearer …; with --secret-from-stdin, it is the second line, and otherwise the first',
    )
    .option('--fetch-header <name>', 'the header that has the secret of the fetch; default: Authorization');
}

function collectHosts(text: string, before: readonly string[] = []): readonly string[] {
  const host = parseAllowedHost(text);
  if (host === undefined) throw new InvalidArgumentError(`Give ${ALLOWED_HOST_RULE}.`);
  return before.includes(host) ? before : [...before, host];
}

/** Reads the fetch of a new source. Prints a usage error if options are missing. @returns `undefined` if it has none */
export function parseNewFetch(command: Command, options: FetchOptions): NewFetch | undefined {
  const { fetch, fetchHost, fetchHeader, fetchSecretFromStdin } = options;
  if (fetch === undefined && (fetchHost || fetchHeader !== undefined || fetchSecretFromStdin))
    return command.error('error: give --fetch <jsonata> too: the expression that gives the URL');
  if (fetch === undefined || fetch === false) return undefined;
  if (!fetchHost) return command.error('error: --fetch needs --fetch-host <host>: the host that the URL may have');
  if (fetchHeader !== undefined && !fetchSecretFromStdin)
    return command.error('error: --fetch-header needs --fetch-secret-from-stdin');
  return { url: fetch, hosts: fetchHost, header: fetchHeader?.toLowerCase() };
}

/**
 * Reads the changed fetch of a source: the options that are given take the place of its own.
 * @returns `null` to remove the fetch, `undefined` to keep it
 */
export function parseChangedFetch(
  command: Command,
  options: FetchOptions,
  known: SourceFetch | undefined,
): NewFetch | null | undefined {
  const { fetch, fetchHost, fetchHeader, fetchSecretFromStdin } = options;
  if (fetch === false) {
    if (fetchHost || fetchHeader !== undefined || fetchSecretFromStdin)
      return command.error('error: --no-fetch removes the whole fetch: leave out the other options of the fetch');
    return null;
  }
  if (!known) return parseNewFetch(command, options);
  if (!changesFetch(options)) return undefined;
  if (fetchHeader !== undefined && !fetchSecretFromStdin && known.secretsAt === undefined)
    return command.error('error: --fetch-header needs --fetch-secret-from-stdin, because the fetch has no secret yet');
  const { url, hosts, header } = known;
  return { url: fetch ?? url, hosts: fetchHost ?? hosts, header: fetchHeader?.toLowerCase() ?? header };
}

/** Whether options change or remove a fetch. */
export function changesFetch({ fetch, fetchHost, fetchHeader, fetchSecretFromStdin }: FetchOptions): boolean {
  return fetch !== undefined || fetchHost !== undefined || fetchHeader !== undefined || fetchSecretFromStdin === true;
}

/** Which secrets a command reads from standard input. */
export interface WantedSecrets {
  readonly secretFromStdin?: true | undefined;
  readonly fetchSecretFromStdin?: true | undefined;
}

/** Reads secrets from standard input, one a line: first that of the source, then that of its fetch. */
export async function readSecrets(
  readStdin: CliContext['readStdin'],
  { secretFromStdin, fetchSecretFromStdin }: WantedSecrets,
): Promise<{ readonly secret?: string; readonly fetchSecret?: string }> {
  if (!secretFromStdin && !fetchSecretFromStdin) return {};
  const lines = await readSecretLines(readStdin);
  const secret = secretFromStdin ? { secret: lines.shift() ?? '' } : {};
  return { ...secret, ...(fetchSecretFromStdin && { fetchSecret: lines.shift() ?? '' }) };
}

/**
 * Runs a fetch expression on a sample, and checks the URLs that it gives. Fetches nothing.
 * @returns whether the expression gives a URL
 * @throws {Problem} `mapping-failed`, `fetch-failed`
 */
export async function givesUrl(fetch: Pick<SourceFetch, 'url' | 'hosts'>, sample: Sample): Promise<boolean> {
  const [{ fetchUrls }, { mapper }] = await Promise.all([
    import('../../lib/webhooks/fetch-entry.ts'),
    import('../../lib/webhooks/mapping/mapper.ts'),
  ]);
  const own = mapper({ quotes: true });
  try {
    return (await fetchUrls(own, fetch, sample, Date.now())) !== undefined;
  } finally {
    own.close();
  }
}

/** The time limit of a fetch, in milliseconds. */
const FETCH_MS = 30_000;

/**
 * Fetches the entry of a sample from this machine, with the secret of the source.
 * @returns the entry as JSON; `undefined` if the source fetches nothing for this sample
 * @throws {CliError} if the source has no fetch
 * @throws {Problem} `mapping-failed`, `fetch-failed`
 */
export async function fetchForSample(
  { sources, allowsLoopbackEvents }: Deployment,
  source: ListedSource | undefined,
  sample: Sample,
): Promise<string | undefined> {
  if (!source)
    throw new CliError('no source has this name yet: add the source, with --fetch, before you test its fetch');
  if (!source.fetch) throw new CliError('the source fetches nothing: give it a fetch with source change --fetch');
  const [{ entryFetcher }, { publicTransports }, { mapper }, { deadlineAt }] = await Promise.all([
    import('../../lib/webhooks/fetch-entry.ts'),
    import('../../lib/service/http-client/public-transport.ts'),
    import('../../lib/webhooks/mapping/mapper.ts'),
    import('../../lib/service/deadline.ts'),
  ]);
  const own = mapper({ quotes: true });
  const fetchEntry = entryFetcher({
    mapper: own,
    secretsOf: sources.fetchSecret,
    transportWith: publicTransports(await allowsLoopbackEvents()),
    now: Date.now,
  });
  try {
    const nowMs = Date.now();
    return await fetchEntry(source.fetch, sample, { nowMs, deadline: deadlineAt(nowMs + FETCH_MS, Date.now) });
  } finally {
    own.close();
  }
}

/** Formats the hosts of a fetch for the list of sources. */
export function formatFetch({ fetch }: Pick<ListedSource, 'fetch'>): string {
  if (!fetch) return '';
  const { hosts, header, secretsAt } = fetch;
  return hosts.join(' ') + (secretsAt === undefined ? '' : ` (secret in ${header ?? FETCH_HEADER})`);
}
