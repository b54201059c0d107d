import { parseArgs } from 'node:util';
import { ENGINES_OF_SETTINGS, translationSettings } from '../functions/compose/environment.ts';
import { BASE_URL_RULE, readBaseUrl, writeBaseUrl } from '../lib/contract/base-url.ts';
import { UPSTREAM_LOOKUPS } from '../lib/contract/lookups.ts';
import { nearest } from '../lib/contract/nearest.ts';
import { TRANSLATION_PRICE } from '../lib/contract/price.ts';
import {
  PORT,
  type Rate,
  readSetting,
  type Setting,
  startSettings,
  type TranslationEngineName,
  type Variables,
  WRONG_CREDENTIALS,
  WrongSetting,
} from '../lib/contract/settings.ts';
import { SANDBOX } from '../lib/credentials/sandbox-company.ts';
import { DEFAULT_FOLDER } from '../lib/storage/sqlite/database.ts';
import { type Flags, flagFault } from './flags.ts';

const DEFAULT_PORT = 8787;
const DEFAULT_WRONG_CREDENTIALS: Rate = { perSecond: 1, burst: 100 };

/** The settings, in the order in which they are checked. */
const SETTINGS: readonly Setting<unknown>[] = [...startSettings(), TRANSLATION_PRICE, UPSTREAM_LOOKUPS];
const NAMES = SETTINGS.map(({ variable }) => variable);

/** The settings of e-mail: all must be set, or none. */
const MAIL_SETTINGS = ['SEGUE_MAIL_SERVER', 'SEGUE_MAIL_FROM', 'SEGUE_MAIL_DOMAINS'] as const;

/** The settings of `npm start`, checked. */
export interface LocalSettings {
  readonly port: number;
  readonly service: 'hosted' | 'upstream';
  readonly store: 'sqlite' | 'dynamodb';
  /** The limit on wrong credentials, for all clients together. */
  readonly wrongCredentials: Rate;
  /** Whether the user has set the sandbox company's API key. If not, Segue makes a key. */
  readonly hasOwnKey: boolean;
  /** The environment variables for the functions. */
  readonly functionEnvironment: Readonly<Record<string, string>>;
}

/**
 * Reads the settings of `npm start`. An empty variable counts as not set.
 * @param args the command line after the program
 * @throws {WrongSetting} if a flag or variable is invalid or missing, or a variable's name is misspelt
 */
export function readSettings(args: readonly string[], env: Variables): LocalSettings {
  const { upstream, store, allowsLoopbackEvents } = readFlags(args, env);
  const set = Object.fromEntries(Object.entries(env).filter(([name, value]) => value && isSetting(name)));
  checkVariables(set, store);
  const { PORT: _, SEGUE_WRONG_CREDENTIALS: __, ...passed } = set;
  return {
    port: readSetting(PORT, set) ?? DEFAULT_PORT,
    service: upstream === undefined ? 'hosted' : 'upstream',
    store,
    wrongCredentials: readSetting(WRONG_CREDENTIALS, set) ?? DEFAULT_WRONG_CREDENTIALS,
    hasOwnKey: set['SEGUE_API_KEY'] !== undefined,
    functionEnvironment: {
      SEGUE_DATA_DIR: DEFAULT_FOLDER,
      SEGUE_COMPANY_ID: SANDBOX,
      ...passed,
      ...(upstream !== undefined && { SEGUE_UPSTREAM_URL: requireUpstream(upstream, set) }),
      ...(allowsLoopbackEvents && { SEGUE_ALLOW_LOOPBACK_EVENTS: '1' }),
    },
  };
}

/** Checks the variables, each by itself and together. */
function checkVariables(set: Variables, store: LocalSettings['store']): void {
  for (const setting of SETTINGS) readSetting(setting, set);
  if (store === 'dynamodb' && !(set['SEGUE_TABLE'] && set['SEGUE_BUCKET'])) {
    throw new WrongSetting('--store dynamodb needs SEGUE_TABLE and SEGUE_BUCKET');
  }
  requireReadBy(translationSettings('pseudo', set).engine, set);
  const ofMail = MAIL_SETTINGS.filter((name) => !set[name]);
  if (ofMail.length > 0 && ofMail.length < MAIL_SETTINGS.length) {
    throw new WrongSetting(`e-mail needs ${MAIL_SETTINGS.join(', ')}: set ${ofMail.join(' and ')} too`);
  }
  if (set['SEGUE_SECURITY_POLICY'] && !set['SEGUE_SECURITY_CONTACT']) {
    throw new WrongSetting('SEGUE_SECURITY_POLICY needs SEGUE_SECURITY_CONTACT');
  }
}

/** @throws {WrongSetting} if a translation setting is set that the engine does not read */
function requireReadBy(engine: TranslationEngineName, set: Variables): void {
  for (const [name, engines] of Object.entries(ENGINES_OF_SETTINGS)) {
    if (!set[name] || engines.includes(engine)) continue;
    const others = `${engines.slice(0, -1).join(', ')} or ${engines.at(-1)}`;
    throw new WrongSetting(
      `${name} has no effect with the engine ${engine}: set SEGUE_TRANSLATION_ENGINE to ${others}`,
    );
  }
}

/** Replaces all variables of Segue in an environment by the checked settings. The Lambda functions then read these. */
export function replaceSegueVariables({ functionEnvironment }: LocalSettings, env: Record<string, string | undefined>) {
  for (const name of Object.keys(env)) if (isSegueVariable(name)) delete env[name];
  Object.assign(env, functionEnvironment);
}

/** What `npm start -- --help` prints. */
export const HELP = `Starts Segue on this machine: npm start -- [flags]

  --upstream <base url>      stand in front of this service instead of being one
  --store sqlite|dynamodb    where to keep the data; default: sqlite
  --allow-loopback-events    send events to receivers on this machine too

Other settings are variables, such as PORT=8788 and SEGUE_DATA_DIR=<folder>: docs/settings.md
`;

const FLAGS = {
  start: 'npm start',
  others: 'Other settings are variables, such as PORT=8788',
  options: {
    upstream: { type: 'string', form: '<base url>' },
    store: { type: 'string', default: 'sqlite', form: 'sqlite|dynamodb' },
    'allow-loopback-events': { type: 'boolean', default: false },
  },
} as const satisfies Flags;

function readFlags(args: readonly string[], env: Variables) {
  const fault = flagFault(args, env, FLAGS);
  if (fault !== undefined) throw new WrongSetting(fault);
  const { upstream, store, ...flags } = parseArgs({ args: [...args], options: FLAGS.options }).values;
  const allowsLoopbackEvents = flags['allow-loopback-events'];
  if (store === 'sqlite' || store === 'dynamodb') return { upstream, store, allowsLoopbackEvents } as const;
  throw new WrongSetting('--store takes sqlite|dynamodb');
}

function isSegueVariable(name: string): boolean {
  return /^SEGUE_/i.test(name);
}

/**
 * Whether a variable is a setting.
 * @throws {WrongSetting} if its name is a misspelt setting. Other unknown names may belong to another program
 */
function isSetting(name: string): boolean {
  if (NAMES.includes(name)) return true;
  // Segue does not read SEGUE_URL, but the examples in the docs set it for clients.
  if (!isSegueVariable(name) || name === 'SEGUE_URL') return false;
  const begun = NAMES.find((each) => each.startsWith(`${name}_`));
  const near = name === 'SEGUE_UPSTREAM_URL' ? 'the flag --upstream <base url>' : (begun ?? nearest(name, NAMES, 1)[0]);
  if (near !== undefined) throw new WrongSetting(`${name} is not a setting of npm start: did you mean ${near}?`);
  return false;
}

/**
 * Checks the base URL of the upstream service, and that its account is set.
 * @returns the base URL without a trailing slash
 */
function requireUpstream(baseUrl: string, set: Variables): string {
  const url = readBaseUrl(baseUrl, { protocols: ['http', 'https'] });
  if (!url)
    throw new WrongSetting(
      `--upstream must be ${BASE_URL_RULE}; set its credentials with SEGUE_UPSTREAM_COMPANY_ID and SEGUE_UPSTREAM_API_KEY`,
    );
  const { SEGUE_UPSTREAM_COMPANY_ID: companyId, SEGUE_UPSTREAM_API_KEY: key, SEGUE_UPSTREAM_SECRET: secret } = set;
  if (!companyId !== !key || !key === !secret) {
    throw new WrongSetting(
      '--upstream needs either SEGUE_UPSTREAM_COMPANY_ID and SEGUE_UPSTREAM_API_KEY, or SEGUE_UPSTREAM_SECRET',
    );
  }
  if (set['SEGUE_UPSTREAM_LOOKUPS'] && !secret) {
    throw new WrongSetting(
      'SEGUE_UPSTREAM_LOOKUPS needs SEGUE_UPSTREAM_SECRET, which names the companies with an account of their own',
    );
  }
  return writeBaseUrl(url);
}
