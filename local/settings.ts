import { parseArgs } from 'node:util';
import * as z from 'zod/mini';
import { createApiKey } from '../lib/credentials/api-key.ts';
import { COMPANY_ID } from '../lib/credentials/keys.ts';

/** What `npm start` was told, checked. */
export interface Settings {
  readonly port: number;
  readonly dataDir: string;
  readonly companyId: string;
  readonly apiKey: string;
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

/** A setting cannot be used. The message is for the person who set it and holds no secret. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

const Environment = z.object({
  PORT: z._default(
    z.string().check(
      z.regex(/^\d{1,5}$/, 'PORT must be a number from 0 (any free port) to 65535'),
      z.refine((port) => Number(port) <= 65_535, 'PORT must be a number from 0 (any free port) to 65535'),
    ),
    '8787',
  ),
  SEGUE_DATA_DIR: z._default(z.string(), '.segue/'),
  SEGUE_COMPANY_ID: z._default(
    z.string().check(z.regex(COMPANY_ID, 'SEGUE_COMPANY_ID must be 1 to 64 letters, digits, "_" or "-" of ASCII')),
    'sandbox',
  ),
  SEGUE_API_KEY: z.optional(
    z.string().check(z.regex(/^[\x21-\x7e]{16,255}$/, 'SEGUE_API_KEY must be 16 to 255 visible ASCII characters')),
  ),
  SEGUE_UPSTREAM_COMPANY_ID: z.optional(
    z
      .string()
      .check(
        z.regex(
          /^[\x21-\x39\x3b-\x7e]{1,255}$/,
          'SEGUE_UPSTREAM_COMPANY_ID must be visible ASCII characters without ":"',
        ),
      ),
  ),
  SEGUE_UPSTREAM_API_KEY: z.optional(
    z.string().check(z.regex(/^[\x21-\x7e]{1,255}$/, 'SEGUE_UPSTREAM_API_KEY must be visible ASCII characters')),
  ),
  SEGUE_UPSTREAM_SECRET: z.optional(
    z.string().check(z.regex(/^[\w/+=.@:-]{1,2048}$/, 'SEGUE_UPSTREAM_SECRET must be the name or ARN of a secret')),
  ),
});
type Environment = z.infer<typeof Environment>;

const UPSTREAM_CREDENTIALS =
  '--upstream needs either SEGUE_UPSTREAM_COMPANY_ID and SEGUE_UPSTREAM_API_KEY, or SEGUE_UPSTREAM_SECRET';

/**
 * Reads the settings. A variable that is set but empty counts as not set.
 * @param args what follows the program on the command line
 * @throws {SettingsError} with one line that says what to change
 */
export function readSettings(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Settings {
  const upstreamUrl = readFlags(args);
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = Environment.safeParse(set);
  if (!parsed.success) throw new SettingsError(parsed.error.issues[0]?.message ?? 'A setting cannot be read');
  const environment = parsed.data;
  return {
    port: Number(environment.PORT),
    dataDir: environment.SEGUE_DATA_DIR,
    companyId: environment.SEGUE_COMPANY_ID,
    apiKey: environment.SEGUE_API_KEY ?? createApiKey().apiKey,
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
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) throw new SettingsError('--upstream must be an http or https URL');
  if (url.username || url.password) {
    throw new SettingsError('--upstream must hold no credentials: they have variables of their own');
  }
  if (/[?#]/.test(text)) throw new SettingsError('--upstream must have neither a query nor a fragment');
  return url.href.replace(/\/+$/, '');
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
export function functionEnvironment({ dataDir, companyId, apiKey, upstream }: Settings): Record<string, string> {
  const credentials = upstream?.credentials;
  return {
    SEGUE_DATA_DIR: dataDir,
    SEGUE_COMPANY_ID: companyId,
    SEGUE_API_KEY: apiKey,
    ...(upstream && { SEGUE_UPSTREAM_URL: upstream.url }),
    ...(credentials && 'secret' in credentials && { SEGUE_UPSTREAM_SECRET: credentials.secret }),
    ...(credentials &&
      'apiKey' in credentials && {
        SEGUE_UPSTREAM_COMPANY_ID: credentials.companyId,
        SEGUE_UPSTREAM_API_KEY: credentials.apiKey,
      }),
  };
}
