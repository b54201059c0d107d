import { parseArgs } from 'node:util';
import { BASE_URL_RULE, readBaseUrl, writeBaseUrl } from '../lib/contract/base-url.ts';
import type { Rate } from '../lib/credentials/rate-limit.ts';
import { type Environment, isOurs, readEnvironment, SettingsError } from './environment.ts';

/** What `npm start` was told, checked. */
export interface Settings {
  readonly port: number;
  readonly dataDir: string;
  readonly companyId: string;
  /** The key of that company; absent if Segue makes and keeps one. */
  readonly apiKey?: string;
  /** How far off a start date may be, in seconds; absent where the functions' own default holds. */
  readonly startToleranceSeconds?: number;
  /** The store on AWS; absent where it is SQLite on this machine. */
  readonly dynamoDb?: { readonly table: string; readonly bucket: string };
  /** How often each company may ask; absent where that is not bounded. */
  readonly rate?: Rate;
  /** How many wrong credentials each address may send. The gateway's own: no function knows it. */
  readonly wrongCredentials: Rate;
  /** The service to pass on to; absent where Segue is the service itself. */
  readonly upstream?: Upstream;
}

export interface Upstream {
  /** Without a slash at the end. */
  readonly url: string;
  readonly credentials:
    | { readonly companyId: string; readonly apiKey: string }
    /** The name of a secret in Secrets Manager. */
    | { readonly secret: string };
  /** How custom ids at the service begin; absent where the functions' own default holds. */
  readonly mark?: string;
  /** How long what was sent may take to show, in seconds; absent where the functions' own default holds. */
  readonly settleSeconds?: number;
}

const UPSTREAM_CREDENTIALS =
  '--upstream needs either SEGUE_UPSTREAM_COMPANY_ID and SEGUE_UPSTREAM_API_KEY, or SEGUE_UPSTREAM_SECRET';

/**
 * Reads the settings. A variable that is set but empty counts as not set.
 * @param args what follows the program on the command line
 * @throws {SettingsError} with one line that says what to change
 */
export function readSettings(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Settings {
  const { upstream: upstreamUrl, store } = readFlags(args);
  const environment = readEnvironment(env);
  const startToleranceSeconds = environment.SEGUE_START_TOLERANCE_SECONDS;
  return {
    port: Number(environment.PORT),
    dataDir: environment.SEGUE_DATA_DIR,
    companyId: environment.SEGUE_COMPANY_ID,
    ...(environment.SEGUE_API_KEY !== undefined && { apiKey: environment.SEGUE_API_KEY }),
    ...(startToleranceSeconds !== undefined && { startToleranceSeconds }),
    ...(store === 'dynamodb' && { dynamoDb: dynamoDbOf(environment) }),
    ...(environment.SEGUE_RATE && { rate: environment.SEGUE_RATE }),
    wrongCredentials: environment.SEGUE_WRONG_CREDENTIALS,
    ...(upstreamUrl !== undefined && { upstream: upstreamAt(upstreamUrl, environment) }),
  };
}

interface Flags {
  readonly upstream?: string | undefined;
  readonly store: Store;
}

const STORES = ['sqlite', 'dynamodb'] as const;
type Store = (typeof STORES)[number];

const FLAGS = 'the flags are --upstream <base url> and --store sqlite|dynamodb, each given once with its value';

function readFlags(args: readonly string[]): Flags {
  try {
    const options = { upstream: { type: 'string' }, store: { type: 'string', default: 'sqlite' } } as const;
    const { upstream, store: name } = parseArgs({ args: [...args], options }).values;
    const store = STORES.find((known) => known === name);
    if (store) return { upstream, store };
  } catch {
    // Node's own sentence may repeat an argument, and an argument may hold a password.
  }
  throw new SettingsError(FLAGS);
}

function dynamoDbOf({ SEGUE_TABLE: table, SEGUE_BUCKET: bucket }: Environment): Settings['dynamoDb'] & {} {
  if (table !== undefined && bucket !== undefined) return { table, bucket };
  throw new SettingsError('--store dynamodb needs SEGUE_TABLE and SEGUE_BUCKET');
}

function baseUrlOf(text: string): string {
  const url = readBaseUrl(text, { protocols: ['http', 'https'] });
  if (!url) {
    throw new SettingsError(`--upstream must be ${BASE_URL_RULE}; credentials have variables of their own`);
  }
  return writeBaseUrl(url);
}

function upstreamAt(url: string, environment: Environment): Upstream {
  const { SEGUE_UPSTREAM_MARK: mark, SEGUE_SETTLE_SECONDS: settleSeconds } = environment;
  return {
    url: baseUrlOf(url),
    credentials: upstreamCredentials(environment),
    ...(mark !== undefined && { mark }),
    ...(settleSeconds !== undefined && { settleSeconds }),
  };
}

function upstreamCredentials(environment: Environment): Upstream['credentials'] {
  const companyId = environment.SEGUE_UPSTREAM_COMPANY_ID;
  const apiKey = environment.SEGUE_UPSTREAM_API_KEY;
  const secret = environment.SEGUE_UPSTREAM_SECRET;
  if (secret !== undefined && companyId === undefined && apiKey === undefined) return { secret };
  if (secret === undefined && companyId !== undefined && apiKey !== undefined) return { companyId, apiKey };
  throw new SettingsError(UPSTREAM_CREDENTIALS);
}

/** The settings as the functions read theirs, from the environment. */
export function functionEnvironment(settings: Settings): Record<string, string> {
  const { dataDir, companyId, apiKey, startToleranceSeconds, dynamoDb, rate, upstream } = settings;
  const credentials = upstream?.credentials;
  return {
    SEGUE_DATA_DIR: dataDir,
    SEGUE_COMPANY_ID: companyId,
    ...(apiKey !== undefined && { SEGUE_API_KEY: apiKey }),
    ...(startToleranceSeconds !== undefined && { SEGUE_START_TOLERANCE_SECONDS: String(startToleranceSeconds) }),
    ...(dynamoDb && { SEGUE_TABLE: dynamoDb.table, SEGUE_BUCKET: dynamoDb.bucket }),
    ...(rate && { SEGUE_RATE: `${rate.perSecond}:${rate.burst}` }),
    ...(upstream && { SEGUE_UPSTREAM_URL: upstream.url }),
    ...(upstream?.mark !== undefined && { SEGUE_UPSTREAM_MARK: upstream.mark }),
    ...(upstream?.settleSeconds !== undefined && { SEGUE_SETTLE_SECONDS: String(upstream.settleSeconds) }),
    ...(credentials && 'secret' in credentials && { SEGUE_UPSTREAM_SECRET: credentials.secret }),
    ...(credentials &&
      'apiKey' in credentials && {
        SEGUE_UPSTREAM_COMPANY_ID: credentials.companyId,
        SEGUE_UPSTREAM_API_KEY: credentials.apiKey,
      }),
  };
}

/** Hands the settings on to the functions: exactly what was read, so that none of them reads a variable otherwise. */
export function handOn(settings: Settings, env: Record<string, string | undefined>): void {
  for (const name of Object.keys(env)) if (isOurs(name)) delete env[name];
  Object.assign(env, functionEnvironment(settings));
}
