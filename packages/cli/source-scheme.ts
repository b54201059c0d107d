import { type Command, InvalidArgumentError, Option } from 'commander';
import { HMAC_ALGORITHMS, HMAC_ENCODINGS } from '../../lib/signatures/hmac.ts';
import { parseSettings, SCHEME_NAMES, SCHEME_OPTIONS } from '../../lib/signatures/scheme-settings.ts';
import { schemeOf } from '../../lib/signatures/schemes.ts';
import type { SchemeSettings } from '../../lib/signatures/stored-scheme.ts';
import { TIME_UNITS } from '../../lib/signatures/time-units.ts';
import { MESSAGE_ID_FORM, parseMessageId } from '../../lib/webhooks/message-id.ts';
import type { ListedSource } from '../../lib/webhooks/sources.ts';

type SchemeName = (typeof SCHEME_NAMES)[number];

/** The options for the scheme of a source, and for what identifies its messages. */
export interface SchemeOptions {
  readonly scheme: SchemeName;
  readonly messageId?: string;
  readonly dedupe?: number;
}

/** The options of schemes with settings, by the keys of the settings. */
const SETTINGS: Readonly<Record<string, Option>> = {
  header: new Option('--header <name>', 'hmac: the header with the signature; token: the header with the secret'),
  algorithm: new Option('--algorithm <algorithm>', 'hmac, template: the hash function').choices(HMAC_ALGORITHMS),
  encoding: new Option('--encoding <encoding>', 'hmac, template: the encoding of the signature').choices(
    HMAC_ENCODINGS,
  ),
  prefix: new Option(
    '--prefix <text>',
    'hmac, template, token: the text before the signature or the secret, if there is one, such as sha256=',
  ),
  template: new Option('--template <text>', 'template: the signed text, with fields such as {timestamp}.{body}'),
  signature: new Option(
    '--signature <place>',
    'template: the header with the signature, or <header>#<key> for a key=value part of it',
  ),
  timestamp: new Option('--timestamp <place>', 'template: the place of the signed time, if there is one'),
  timeUnit: new Option('--time-unit <unit>', 'template: the form of the signed time').choices(TIME_UNITS),
  id: new Option('--id <place>', 'template: the place of the signed id, if there is one'),
  parts: new Option('--parts <keys>', 'template: the keys of the header’s parts, as the sender separates them'),
  basic: new Option('--basic <user>', 'token: the user name, if the secret is the password of HTTP Basic'),
  query: new Option('--query <name>', 'token: the query parameter with the secret'),
};

/** The longest time for which equal messages count as one, in minutes: as long as Segue knows a delivery. */
const MAX_DEDUPE_MINUTES = 20_160;

/** Adds the options for the scheme of a source, and for what identifies its messages. */
export function addSchemeOptions(command: Command): Command {
  command.addOption(
    new Option('--scheme <scheme>', 'how the sender signs its messages')
      .choices(SCHEME_NAMES)
      .argParser(parseSchemeName)
      .makeOptionMandatory(),
  );
  for (const option of Object.values(SETTINGS)) command.addOption(option);
  return command
    .option(
      '--message-id <place>',
      'where the id of a message is: header:<name>, or a path such as body.event.id; default: what the scheme says',
      parsePlace,
    )
    .option(
      '--dedupe <minutes>',
      'for how many minutes messages with equal bodies count as one; default: what the scheme says',
      parseMinutes,
    );
}

/** Reads the scheme of a source from the options. Prints a usage error with every fault of them. */
export function parseScheme(command: Command, { scheme: name, messageId, dedupe }: SchemeOptions): SchemeSettings {
  const given = Object.entries(SETTINGS).flatMap(([key, option]) => {
    const value: unknown = command.getOptionValue(option.attributeName());
    const text = typeof value === 'string' ? value : '';
    return text === '' ? [] : [[key, LOWER_CASE.has(key) ? lowerHeader(text) : text] as const];
  });
  if (messageId !== undefined && dedupe !== undefined)
    return command.error('error: give --message-id or --dedupe: a message with an id is recognised by it for 14 days');
  const parsed = parseSettings(name, Object.fromEntries(given));
  if ('settings' in parsed) {
    if (dedupe === undefined || schemeOf(parsed.settings).identifiedBy !== 'id') return parsed.settings;
    return command.error(`error: --dedupe does not belong to the scheme ${name}, whose messages have a signed id`);
  }
  const faults = parsed.faults.map(({ option, message }) => `${SETTINGS[option]?.long ?? 'the scheme'} ${message}`);
  return command.error(`error: ${faults.join('; ')}${usageOf(name)}`);
}

/** The settings that name headers. Names of headers have no case. */
const LOWER_CASE: ReadonlySet<string> = new Set(['header', 'signature', 'timestamp', 'id']);

/** Writes the header of a place in lower case. The key of a part has a case. */
function lowerHeader(text: string): string {
  return text.replace(/^[^#]*/, (header) => header.toLowerCase());
}

function usageOf(name: SchemeName): string {
  if (name !== 'hmac' && name !== 'template' && name !== 'token') return '';
  const { needs, takes } = SCHEME_OPTIONS[name];
  const list = (keys: readonly string[]) => keys.map((key) => SETTINGS[key]?.long).join(', ');
  return `. The scheme ${name} ${needs.length > 0 ? `needs ${list(needs)}, and ` : ''}may have ${list(takes)}`;
}

function parseSchemeName(text: string): SchemeName {
  const name = SCHEME_NAMES.find((known) => known === text);
  if (name !== undefined) return name;
  throw new InvalidArgumentError(
    `Allowed choices are ${SCHEME_NAMES.join(', ')}. If your sender does not sign its messages, see docs/webhooks.md#if-your-sender-does-not-sign.`,
  );
}

function parsePlace(text: string): string {
  if (parseMessageId(text)) return text;
  throw new InvalidArgumentError(`Give ${MESSAGE_ID_FORM}.`);
}

function parseMinutes(text: string): number {
  const minutes = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : Number.NaN;
  if (minutes <= MAX_DEDUPE_MINUTES) return minutes;
  throw new InvalidArgumentError(`Give a number of minutes from 1 to ${MAX_DEDUPE_MINUTES}, which are 14 days.`);
}

/** Formats the scheme of a source with its settings, and what identifies a message if the source says it. */
export function formatScheme({ scheme, messageId, dedupeMinutes }: ListedSource): string {
  const { name } = scheme;
  const settings = name === 'hmac' ? hmacSettings(scheme) : othersOf(scheme);
  const id = messageId === undefined ? '' : `, id ${messageId}`;
  const dedupe = dedupeMinutes === undefined ? '' : `, dedupe ${dedupeMinutes} minutes`;
  return `${name}${settings}${id}${dedupe}`;
}

function hmacSettings({ header, algorithm, encoding, prefix }: Extract<SchemeSettings, { name: 'hmac' }>): string {
  return ` (header ${header}, ${algorithm} in ${encoding}${prefix === undefined ? '' : `, prefix ${prefix}`})`;
}

function othersOf({ name: _, ...settings }: SchemeSettings): string {
  const texts = Object.entries(settings).map(
    ([key, text]) => `${SETTINGS[key]?.name() ?? key} ${JSON.stringify(text)}`,
  );
  return texts.length === 0 ? '' : ` (${texts.join(', ')})`;
}
