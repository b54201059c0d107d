import * as z from 'zod/mini';
import { type Rate, RateText } from '../../lib/credentials/rate-limit.ts';
import { DEFAULT_FOLDER } from '../../lib/storage/sqlite/database.ts';
import { CUSTOM_ID_PREFIX, DEFAULT_CUSTOM_ID_PREFIX } from '../../lib/upstream/custom-ids.ts';

/** Environment variables. An empty variable counts as not set. */
export type Variables = Readonly<Record<string, string | undefined>>;

// Calls that make schemas are marked pure, so that a bundle drops the schemas that its function does not use.
function text(form: RegExp, message: string) {
  return z.string().check(z.regex(form, message));
}

function wholeNumber(form: RegExp, most: number, message: string) {
  return z.pipe(text(form, message), z.pipe(z.transform(Number), z.number().check(z.maximum(most, message))));
}

/** How far a start date may be from now, in seconds. */
export const StartToleranceSeconds = /* @__PURE__ */ wholeNumber(
  /^\d{1,6}$/,
  999_999,
  'SEGUE_START_TOLERANCE_SECONDS must be a whole number of seconds from 0 to 999999',
);

/** The requests that each company may send in a second. */
export const CompanyRateText = /* @__PURE__ */ RateText('SEGUE_RATE');

/** The beginning of custom ids at the upstream service. */
export const UpstreamMark = /* @__PURE__ */ text(
  CUSTOM_ID_PREFIX,
  'SEGUE_UPSTREAM_MARK must be 1 to 32 letters, digits, "_" or "-" of ASCII',
);

/** How long a change may take to show at the upstream service, in seconds. */
export const SettleSeconds = /* @__PURE__ */ wholeNumber(
  /^[1-9]\d{0,3}$/,
  3_600,
  'SEGUE_SETTLE_SECONDS must be a whole number of seconds from 1 to 3600',
);

/** How long the table can be restored to an earlier moment, in days. */
const RecoveryDays = /* @__PURE__ */ wholeNumber(
  /^\d{1,2}$/,
  99,
  'SEGUE_RECOVERY_DAYS must be a whole number of days from 0 to 99',
);
const DAY_MS = 86_400_000;

/** Reads a variable that the stack, or `npm start`, always sets. @throws {RangeError} if it is not set */
export function required(name: `SEGUE_${string}`, env: Variables = process.env): string {
  const value = env[name];
  if (!value) throw new RangeError(`${name} is not set`);
  return value;
}

/** The settings of both services; `undefined` selects a service's default. */
export function serviceSettings(env: Variables = process.env) {
  const seconds = env['SEGUE_START_TOLERANCE_SECONDS'];
  return { startDateToleranceMs: seconds ? StartToleranceSeconds.parse(seconds) * 1_000 : undefined };
}

/** The setting of the hosted service; `undefined` if its table cannot be restored. */
export function recoverableMs(env: Variables = process.env): number | undefined {
  const days = env['SEGUE_RECOVERY_DAYS'];
  return days ? RecoveryDays.parse(days) * DAY_MS : undefined;
}

/** The settings of the upstream service; without `propagationMs` its own default holds. */
export function upstreamSettings(env: Variables = process.env) {
  const { SEGUE_UPSTREAM_MARK: mark, SEGUE_SETTLE_SECONDS: seconds } = env;
  return {
    customIdPrefix: mark ? UpstreamMark.parse(mark) : DEFAULT_CUSTOM_ID_PREFIX,
    propagationMs: seconds ? SettleSeconds.parse(seconds) * 1_000 : undefined,
  };
}

/** The rate limit of each company; `undefined` if there is none. */
export function companyRateLimit(env: Variables = process.env): Rate | undefined {
  const rate = env['SEGUE_RATE'];
  return rate ? CompanyRateText.parse(rate) : undefined;
}

/** The settings of a Segue on one machine. */
export interface MachineSettings {
  /** The folder of the store, the keys and the secrets. */
  readonly dataDir: string;
  /** The company that Segue runs as, and its API key; Segue makes and keeps a key unless one is set. */
  readonly companyId: string | undefined;
  readonly apiKey: string | undefined;
  readonly rate: Rate | undefined;
  /** The folder of projects by reference. */
  readonly projectsDir: string | undefined;
  /** The credentials at the upstream service, or the name of their secret. */
  readonly upstream: {
    readonly companyId: string | undefined;
    readonly apiKey: string | undefined;
    readonly secret: string | undefined;
  };
}

/** Reads the settings of a Segue on one machine. */
export function machineSettings(env: Variables = process.env): MachineSettings {
  return {
    dataDir: env['SEGUE_DATA_DIR'] || DEFAULT_FOLDER,
    companyId: env['SEGUE_COMPANY_ID'] || undefined,
    apiKey: env['SEGUE_API_KEY'] || undefined,
    rate: companyRateLimit(env),
    projectsDir: env['SEGUE_PROJECTS_DIR'] || undefined,
    upstream: {
      companyId: env['SEGUE_UPSTREAM_COMPANY_ID'] || undefined,
      apiKey: env['SEGUE_UPSTREAM_API_KEY'] || undefined,
      secret: env['SEGUE_UPSTREAM_SECRET'] || undefined,
    },
  };
}
