import { parseArgs } from 'node:util';
import * as z from 'zod/mini';
import {
  CompanyRateText,
  ENGINES_OF_SETTINGS,
  MailDomains,
  MailFrom,
  MailServer,
  SecurityContactText,
  SecurityPolicyText,
  SettleSeconds,
  StartToleranceSeconds,
  TranslationCharacters,
  type TranslationEngineName,
  TranslationEngineText,
  TranslationUrl,
  translationFault,
  UpstreamMark,
} from '../functions/compose/settings.ts';
import { BASE_URL_RULE, readBaseUrl, writeBaseUrl } from '../lib/contract/base-url.ts';
import { COMPANY_ID } from '../lib/contract/credentials.ts';
import { nearest } from '../lib/contract/nearest.ts';
import { type Rate, RateText } from '../lib/credentials/rate-limit.ts';
import { SANDBOX } from '../lib/credentials/sandbox-company.ts';
import { DEFAULT_FOLDER } from '../lib/storage/sqlite/database.ts';
import { UPSTREAM_API_KEY, UPSTREAM_COMPANY_ID } from '../lib/upstream/accounts.ts';
import { type Flags, flagFault } from './flags.ts';

/** The error for a setting that cannot be used. Its message is one line for the user, and holds no secret. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

function text(form: RegExp, message: string) {
  return z.string().check(z.regex(form, message));
}

const PORT = 'PORT must be a number from 0 (any free port) to 65535';

/** The schema of the environment variables. The functions receive those whose names begin with `SEGUE_`. */
const Environment = z.object({
  PORT: z._default(text(/^\d{1,5}$/, PORT).check(z.refine((port) => Number(port) <= 65_535, PORT)), '8787'),
  SEGUE_WRONG_CREDENTIALS: z.prefault(RateText('SEGUE_WRONG_CREDENTIALS', 'wrong credentials'), '1:100'),
  SEGUE_DATA_DIR: z.optional(z.string()),
  SEGUE_COMPANY_ID: z.optional(
    text(COMPANY_ID, 'SEGUE_COMPANY_ID must be 1 to 64 letters, digits, "_" or "-" of ASCII'),
  ),
  SEGUE_API_KEY: z.optional(text(/^[\x21-\x7e]{16,255}$/, 'SEGUE_API_KEY must be 16 to 255 visible ASCII characters')),
  SEGUE_START_TOLERANCE_SECONDS: z.optional(StartToleranceSeconds),
  SEGUE_RATE: z.optional(CompanyRateText),
  SEGUE_UPSTREAM_COMPANY_ID: z.optional(
    text(UPSTREAM_COMPANY_ID, 'SEGUE_UPSTREAM_COMPANY_ID must be 1 to 255 visible ASCII characters without ":"'),
  ),
  SEGUE_UPSTREAM_API_KEY: z.optional(
    text(UPSTREAM_API_KEY, 'SEGUE_UPSTREAM_API_KEY must be 1 to 1,024 visible ASCII characters'),
  ),
  SEGUE_UPSTREAM_SECRET: z.optional(
    text(/^[\w/+=.@:-]{1,2048}$/, 'SEGUE_UPSTREAM_SECRET must be the name or ARN of a secret'),
  ),
  SEGUE_UPSTREAM_MARK: z.optional(UpstreamMark),
  SEGUE_SETTLE_SECONDS: z.optional(SettleSeconds),
  SEGUE_TRANSLATION_ENGINE: z.optional(TranslationEngineText),
  SEGUE_TRANSLATION_URL: z.optional(TranslationUrl),
  SEGUE_TRANSLATION_KEY: z.optional(
    text(/^[\x21-\x7e]{1,1024}$/, 'SEGUE_TRANSLATION_KEY must be 1 to 1,024 visible ASCII characters'),
  ),
  SEGUE_TRANSLATION_SECRET: z.optional(
    text(/^[\w/+=.@:-]{1,2048}$/, 'SEGUE_TRANSLATION_SECRET must be the name or ARN of a secret'),
  ),
  SEGUE_TRANSLATION_CHARACTERS_PER_DAY: z.optional(TranslationCharacters),
  SEGUE_MAIL_SERVER: z.optional(MailServer),
  SEGUE_MAIL_FROM: z.optional(MailFrom),
  SEGUE_MAIL_DOMAINS: z.optional(MailDomains),
  SEGUE_SECURITY_CONTACT: z.optional(SecurityContactText),
  SEGUE_SECURITY_POLICY: z.optional(SecurityPolicyText),
  SEGUE_TABLE: z.optional(text(/^[\w.-]{3,255}$/, 'SEGUE_TABLE must be the name of a DynamoDB table')),
  SEGUE_BUCKET: z.optional(text(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'SEGUE_BUCKET must be the name of an S3 bucket')),
});
type Environment = z.infer<typeof Environment>;

/** The settings of e-mail: all must be set, or none. */
const MAIL_SETTINGS = ['SEGUE_MAIL_SERVER', 'SEGUE_MAIL_FROM', 'SEGUE_MAIL_DOMAINS'] as const;

type Variables = Readonly<Record<string, string | undefined>>;

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
 * @throws {SettingsError} if a flag or variable is invalid or missing, or a variable's name is misspelt
 */
export function readSettings(args: readonly string[], env: Variables): LocalSettings {
  const { upstream, store, allowsLoopbackEvents } = readFlags(args, env);
  const set = Object.fromEntries(Object.entries(env).filter(([name, value]) => value && isSetting(name)));
  const { success, data: environment, error } = Environment.safeParse(set);
  if (!success) throw new SettingsError(error.issues[0]?.message ?? 'A setting cannot be read');
  if (store === 'dynamodb' && !(environment.SEGUE_TABLE && environment.SEGUE_BUCKET)) {
    throw new SettingsError('--store dynamodb needs SEGUE_TABLE and SEGUE_BUCKET');
  }
  const engine = environment.SEGUE_TRANSLATION_ENGINE ?? 'pseudo';
  const fault = translationFault(engine, set) ?? unreadSetting(engine, set);
  if (fault !== undefined) throw new SettingsError(fault);
  const ofMail = MAIL_SETTINGS.filter((name) => environment[name] === undefined);
  if (ofMail.length > 0 && ofMail.length < MAIL_SETTINGS.length) {
    throw new SettingsError(`e-mail needs ${MAIL_SETTINGS.join(', ')}: set ${ofMail.join(' and ')} too`);
  }
  if (environment.SEGUE_SECURITY_POLICY !== undefined && environment.SEGUE_SECURITY_CONTACT === undefined) {
    throw new SettingsError('SEGUE_SECURITY_POLICY needs SEGUE_SECURITY_CONTACT');
  }
  const { PORT: _, SEGUE_WRONG_CREDENTIALS: __, ...passed } = set;
  return {
    port: Number(environment.PORT),
    service: upstream === undefined ? 'hosted' : 'upstream',
    store,
    wrongCredentials: environment.SEGUE_WRONG_CREDENTIALS,
    hasOwnKey: environment.SEGUE_API_KEY !== undefined,
    functionEnvironment: {
      SEGUE_DATA_DIR: DEFAULT_FOLDER,
      SEGUE_COMPANY_ID: SANDBOX,
      ...passed,
      ...(upstream !== undefined && { SEGUE_UPSTREAM_URL: requireUpstream(upstream, environment) }),
      ...(allowsLoopbackEvents && { SEGUE_ALLOW_LOOPBACK_EVENTS: '1' }),
    },
  };
}

/** Says which translation setting the engine does not read; `undefined` if it reads all. */
function unreadSetting(engine: TranslationEngineName, set: Variables): string | undefined {
  for (const [name, engines] of Object.entries<readonly TranslationEngineName[]>(ENGINES_OF_SETTINGS)) {
    if (!set[name] || engines.includes(engine)) continue;
    const others = `${engines.slice(0, -1).join(', ')} or ${engines.at(-1)}`;
    return `${name} has no effect with the engine ${engine}: set SEGUE_TRANSLATION_ENGINE to ${others}`;
  }
  return undefined;
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
  if (fault !== undefined) throw new SettingsError(fault);
  const { upstream, store, ...flags } = parseArgs({ args: [...args], options: FLAGS.options }).values;
  const allowsLoopbackEvents = flags['allow-loopback-events'];
  if (store === 'sqlite' || store === 'dynamodb') return { upstream, store, allowsLoopbackEvents } as const;
  throw new SettingsError('--store takes sqlite|dynamodb');
}

function isSegueVariable(name: string): boolean {
  return /^SEGUE_/i.test(name);
}

/**
 * Whether a variable is a setting.
 * @throws {SettingsError} if its name is a misspelt setting. Other unknown names may belong to another program
 */
function isSetting(name: string): boolean {
  const known = Object.keys(Environment.shape);
  if (known.includes(name)) return true;
  // Segue does not read SEGUE_URL, but the examples in the docs set it for clients.
  if (!isSegueVariable(name) || name === 'SEGUE_URL') return false;
  const begun = known.find((each) => each.startsWith(`${name}_`));
  const near = name === 'SEGUE_UPSTREAM_URL' ? 'the flag --upstream <base url>' : (begun ?? nearest(name, known, 1)[0]);
  if (near !== undefined) throw new SettingsError(`${name} is not a setting of npm start: did you mean ${near}?`);
  return false;
}

/**
 * Checks the base URL of the upstream service, and that its account is set.
 * @returns the base URL without a trailing slash
 */
function requireUpstream(baseUrl: string, environment: Environment): string {
  const url = readBaseUrl(baseUrl, { protocols: ['http', 'https'] });
  if (!url)
    throw new SettingsError(
      `--upstream must be ${BASE_URL_RULE}; set its credentials with SEGUE_UPSTREAM_COMPANY_ID and SEGUE_UPSTREAM_API_KEY`,
    );
  const {
    SEGUE_UPSTREAM_COMPANY_ID: companyId,
    SEGUE_UPSTREAM_API_KEY: key,
    SEGUE_UPSTREAM_SECRET: secret,
  } = environment;
  if (!companyId !== !key || !key === !secret) {
    throw new SettingsError(
      '--upstream needs either SEGUE_UPSTREAM_COMPANY_ID and SEGUE_UPSTREAM_API_KEY, or SEGUE_UPSTREAM_SECRET',
    );
  }
  return writeBaseUrl(url);
}
