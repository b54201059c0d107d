import { parseArgs } from 'node:util';
import { readBaseUrl, writeBaseUrl } from '../lib/contract/base-url.ts';
import { createApiKey } from '../lib/credentials/api-key.ts';
import { type Environment, isOurs, readEnvironment, SettingsError } from './environment.ts';
import type { Rate } from './throttle.ts';

/** What `npm start` was told, checked. */
export interface Settings {
  readonly port: number;
  readonly dataDir: string;
  readonly companyId: string;
  readonly apiKey: string;
  /** How far off a start date may be, in seconds; absent where the functions' own default holds. */
  readonly startToleranceSeconds?: number;
  /** How often each company may ask; absent where that is not bounded. The gateway's own: no function knows it. */
  readonly rate?: Rate;
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
}

const UPSTREAM_CREDENTIALS =
  '--upstream needs either SEGUE_UPSTREAM_COMPANY_ID and SEGUE_UPSTREAM_API_KEY, or SEGUE_UPSTREAM_SECRET';

/**
 * Reads the settings. A variable that is set but empty counts as not set.
 * @param args what follows the program on the command line
 * @throws {SettingsError} with one line that says what to change
 */
export function readSettings(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Settings {
  const upstreamUrl = readFlags(args);
  const environment = readEnvironment(env);
  const startToleranceSeconds = environment.SEGUE_START_TOLERANCE_SECONDS;
  return {
    port: Number(environment.PORT),
    dataDir: environment.SEGUE_DATA_DIR,
    companyId: environment.SEGUE_COMPANY_ID,
    apiKey: environment.SEGUE_API_KEY ?? createApiKey().apiKey,
    ...(startToleranceSeconds !== undefined && { startToleranceSeconds }),
    ...(environment.SEGUE_RATE && { rate: environment.SEGUE_RATE }),
    ...(upstreamUrl !== undefined && {
      upstream: { url: baseUrlOf(upstreamUrl), credentials: upstreamCredentials(environment) },
    }),
  };
}

function readFlags(args: readonly string[]): string | undefined {
  try {
    return parseArgs({ args: [...args], options: { upstream: { type: 'string' } } }).values.upstream;
  } catch {
    // Node's own sentence may repeat an argument, and an argument may hold a password.
    throw new SettingsError('the only flag is --upstream <base url>, given once with its value');
  }
}

function baseUrlOf(text: string): string {
  const url = readBaseUrl(text, { protocols: ['http', 'https'] });
  if (!url) {
    throw new SettingsError(
      '--upstream must be an http or https URL with no credentials, which have variables of their own, and with neither a query nor a fragment',
    );
  }
  return writeBaseUrl(url);
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
  const { dataDir, companyId, apiKey, startToleranceSeconds, upstream } = settings;
  const credentials = upstream?.credentials;
  return {
    SEGUE_DATA_DIR: dataDir,
    SEGUE_COMPANY_ID: companyId,
    SEGUE_API_KEY: apiKey,
    ...(startToleranceSeconds !== undefined && { SEGUE_START_TOLERANCE_SECONDS: String(startToleranceSeconds) }),
    ...(upstream && { SEGUE_UPSTREAM_URL: upstream.url }),
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
