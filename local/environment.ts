import * as z from 'zod/mini';
import { CompanyRateText, StartToleranceSeconds } from '../functions/compose/settings.ts';
import { SettleSeconds, UpstreamMark } from '../functions/compose/upstream-settings.ts';
import { COMPANY_ID } from '../lib/contract/company-id.ts';
import { nearest } from '../lib/contract/nearest.ts';
import { RateText } from '../lib/credentials/rate-limit.ts';
import { SANDBOX } from '../lib/credentials/sandbox.ts';
import { DEFAULT_FOLDER } from '../lib/storage/sqlite/database.ts';
import { UPSTREAM_API_KEY, UPSTREAM_COMPANY_ID } from '../lib/upstream/credentials.ts';

/** A setting cannot be used. The message is for the person who set it and holds no secret. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** A text of a form, or one line that says which. */
function text(form: RegExp, message: string) {
  return z.string().check(z.regex(form, message));
}

const PORT = 'PORT must be a number from 0 (any free port) to 65535';

const Environment = z.object({
  PORT: z._default(text(/^\d{1,5}$/, PORT).check(z.refine((port) => Number(port) <= 65_535, PORT)), '8787'),
  SEGUE_DATA_DIR: z._default(z.string(), DEFAULT_FOLDER),
  SEGUE_COMPANY_ID: z._default(
    text(COMPANY_ID, 'SEGUE_COMPANY_ID must be 1 to 64 letters, digits, "_" or "-" of ASCII'),
    SANDBOX,
  ),
  SEGUE_API_KEY: z.optional(text(/^[\x21-\x7e]{16,255}$/, 'SEGUE_API_KEY must be 16 to 255 visible ASCII characters')),
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
  SEGUE_TABLE: z.optional(text(/^[\w.-]{3,255}$/, 'SEGUE_TABLE must be the name of a DynamoDB table')),
  SEGUE_BUCKET: z.optional(text(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'SEGUE_BUCKET must be the name of an S3 bucket')),
  SEGUE_START_TOLERANCE_SECONDS: z.optional(StartToleranceSeconds),
  SEGUE_RATE: z.optional(CompanyRateText),
  SEGUE_WRONG_CREDENTIALS: z.prefault(RateText('SEGUE_WRONG_CREDENTIALS', 'wrong credentials'), '1:100'),
});

/** The environment variables that `npm start` reads. */
export type Environment = z.infer<typeof Environment>;

/** Names that are no settings of `npm start` and yet have a meaning. */
const ELSEWHERE: Readonly<Record<string, 'a client' | { readonly instead: string }>> = {
  /** Where a client finds Segue: the examples of the documentation use it. */
  SEGUE_URL: 'a client',
  SEGUE_UPSTREAM_URL: { instead: 'the flag --upstream <base url>' },
};

/**
 * Reads the variables; one that is set but empty counts as not set.
 * @throws {SettingsError} with one line about the first that is wrong or misspelt
 */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): Environment {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  for (const name of Object.keys(set)) if (isOurs(name)) checkName(name);
  const parsed = Environment.safeParse(set);
  if (!parsed.success) throw new SettingsError(parsed.error.issues[0]?.message ?? 'A setting cannot be read');
  return parsed.data;
}

/** Whether a variable is Segue's by its name, however it is written. */
export function isOurs(name: string): boolean {
  return /^SEGUE_/i.test(name);
}

function checkName(name: string): void {
  const known = Object.keys(Environment.shape);
  const elsewhere = Object.hasOwn(ELSEWHERE, name) ? ELSEWHERE[name] : undefined;
  if (known.includes(name) || elsewhere === 'a client') return;
  const [near] = elsewhere ? [elsewhere.instead] : nearest(name, known, 1);
  // A name like none of ours may be anybody's; one like a setting of ours is that one misspelt.
  if (near !== undefined) throw new SettingsError(`${name} is no setting of npm start: did you mean ${near}?`);
}
