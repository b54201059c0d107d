import { type Command, InvalidArgumentError } from 'commander';
import { instantOf, msOf, utc } from '../../lib/contract/date.ts';
import type { KeyLimits, LimitChange } from '../../lib/credentials/companies.ts';
import { networkOf } from '../../lib/credentials/networks.ts';
import type { CliContext } from './deployment.ts';
import { UsageError } from './io.ts';

/** The limits of a key, as options of a command. `null` removes a limit. */
export interface LimitOptions {
  readonly expires?: string | null;
  readonly networks?: readonly string[] | null;
}

const EXPIRES = '--expires <date>';
const NETWORKS = '--networks <networks>';

/** Adds the options `--expires` and `--networks` to a command that issues a key. */
export function addLimitOptions(command: Command): Command {
  return command
    .option(EXPIRES, 'until when the key works, in UTC: 2027-12-31 or 2027-12-31T18:00:00Z', parseExpiry)
    .option(NETWORKS, 'from where the key works: IP addresses and CIDR blocks, separated by commas', parseNetworks);
}

/** Returns the limits of a new key from the options of its command. */
export function limitsOf({ expires, networks }: LimitOptions): Omit<KeyLimits, 'scopes'> {
  return { ...(expires && { expiresAtUtc: expires }), ...(networks && { networks }) };
}

/** Adds the command `segue company limit`. */
export function addLimitCommand(company: Command, { print, withDeployment }: CliContext): void {
  company
    .command('limit')
    .description('change until when and from where a key works')
    .argument('<key id>', 'the key’s id, which company list shows; it is also the middle part of the key')
    .option(EXPIRES, 'until when the key works, in UTC; never removes the limit', orNone('never', parseExpiry))
    .option(NETWORKS, 'from where the key works; any removes the limit', orNone('any', parseNetworks))
    .action(async (keyId: string, { expires, networks }: LimitOptions) => {
      if (expires === undefined && networks === undefined) {
        throw new UsageError('nothing to change: give --expires, --networks or both');
      }
      const change: LimitChange = { expiresAtUtc: expires, networks };
      const { companyId, ...limited } = await withDeployment(({ companies }) => companies.limit(keyId, change));
      print(
        { keyId, companyId, ...limited },
        `${formatLimits(limited)} Requests are judged by this within 30 seconds.\n`,
      );
    });
}

/** Formats the limits of a key as sentences. */
export function formatLimits({ expiresAtUtc, networks }: Omit<KeyLimits, 'scopes'>): string {
  const until = expiresAtUtc === undefined ? 'The key does not expire.' : `The key expires at ${expiresAtUtc}.`;
  const from = networks ? `It works from ${networks.join(', ')} only.` : 'It works from any address.';
  return `${until} ${from}`;
}

function orNone<T>(none: string, parse: (text: string) => T): (text: string) => T | null {
  return (text) => (text === none ? null : parse(text));
}

function parseExpiry(text: string): string {
  const instant = instantOf(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text);
  if (instant === undefined) throw new InvalidArgumentError('Write a date such as 2027-12-31 or 2027-12-31T18:00:00Z.');
  const ms = msOf(instant);
  if (ms <= Date.now()) throw new InvalidArgumentError('The date must be in the future.');
  return utc(ms);
}

function parseNetworks(text: string): readonly string[] {
  const networks = [...new Set(text.split(','))];
  for (const network of networks) {
    const meant = networkOf(network);
    if (meant === undefined) {
      throw new InvalidArgumentError('Write IP addresses and CIDR blocks, such as 203.0.113.0/24,2001:db8::/32.');
    }
    if (meant !== network) {
      throw new InvalidArgumentError(
        `${network} is an address in a network. Write ${meant} for the network, or the address without /.`,
      );
    }
  }
  return networks;
}
