import * as z from 'zod/mini';
import { BASE_URL_RULE, readBaseUrl } from '../../lib/contract/base-url.ts';
import { CANARY_MODES, type CanaryMode } from '../../lib/contract/canary.ts';
import {
  SECURITY_CONTACT,
  SECURITY_CONTACT_RULE,
  SECURITY_POLICY,
  SECURITY_POLICY_RULE,
  type SecurityContact,
} from '../../lib/contract/security-contact.ts';
import { SWITCHES, type Switch } from '../../lib/contract/switches.ts';
import { type Rate, RateText } from '../../lib/credentials/rate-limit.ts';
import { DEFAULT_FOLDER } from '../../lib/storage/sqlite/database.ts';
import { CUSTOM_ID_PREFIX, DEFAULT_CUSTOM_ID_PREFIX } from '../../lib/upstream/custom-ids.ts';

/** Environment variables. An empty variable counts as not set. */
export type Variables = Readonly<Record<string, string | undefined>>;

// The calls that create schemas are marked pure, so that a bundle drops unused schemas.
function text(form: RegExp, message: string) {
  return z.string().check(z.regex(form, message));
}

function wholeNumber(form: RegExp, most: number, message: string) {
  return z.pipe(text(form, message), z.pipe(z.transform(Number), z.number().check(z.maximum(most, message))));
}

/**
 * The schema of `SEGUE_START_TOLERANCE_SECONDS`: how many seconds a start date may be before or after the current time.
 */
export const StartToleranceSeconds = /* @__PURE__ */ wholeNumber(
  /^\d{1,6}$/,
  999_999,
  'SEGUE_START_TOLERANCE_SECONDS must be a whole number of seconds from 0 to 999999',
);

/** The schema of `SEGUE_RATE`: how many requests a company may send per second, and its burst. */
export const CompanyRateText = /* @__PURE__ */ RateText('SEGUE_RATE');

/** The schema of `SEGUE_UPSTREAM_MARK`: the prefix of Segue's custom ids at the upstream service. */
export const UpstreamMark = /* @__PURE__ */ text(
  CUSTOM_ID_PREFIX,
  'SEGUE_UPSTREAM_MARK must be 1 to 32 ASCII letters, digits, "_" or "-"',
);

/** The schema of `SEGUE_SETTLE_SECONDS`: how many seconds the upstream service may take to show a change. */
export const SettleSeconds = /* @__PURE__ */ wholeNumber(
  /^[1-9]\d{0,3}$/,
  3_600,
  'SEGUE_SETTLE_SECONDS must be a whole number of seconds from 1 to 3600',
);

/** The schema of `SEGUE_RECOVERY_DAYS`: how many days back the table can be restored. */
const RecoveryDays = /* @__PURE__ */ wholeNumber(
  /^\d{1,2}$/,
  99,
  'SEGUE_RECOVERY_DAYS must be a whole number of days from 0 to 99',
);
const DAY_MS = 86_400_000;

/**
 * Reads a required environment variable. The stack, or `npm start`, sets it.
 * @throws {RangeError} if the variable is not set
 */
export function required(name: `SEGUE_${string}`, env: Variables = process.env): string {
  const value = env[name];
  if (!value) throw new RangeError(`The environment variable ${name} is not set`);
  return value;
}

/**
 * Reads the settings that the hosted and the upstream service share. For an `undefined` setting, the service uses its
 * own default.
 */
export function serviceSettings(env: Variables = process.env) {
  const seconds = env['SEGUE_START_TOLERANCE_SECONDS'];
  return { startDateToleranceMs: seconds ? StartToleranceSeconds.parse(seconds) * 1_000 : undefined };
}

/**
 * Reads how far back the table of the hosted service can be restored, in milliseconds. Returns `undefined` if it cannot
 * be restored.
 */
export function recoverableMs(env: Variables = process.env): number | undefined {
  const days = env['SEGUE_RECOVERY_DAYS'];
  return days ? RecoveryDays.parse(days) * DAY_MS : undefined;
}

/** The schema of `SEGUE_CANARY`: what the canary does. */
const CanaryModeText = /* @__PURE__ */ z.enum(CANARY_MODES, `SEGUE_CANARY must be ${CANARY_MODES.join(' or ')}`);

/** Reads what the canary does. @throws if the setting is wrong */
export function canaryMode(env: Variables = process.env): CanaryMode {
  return CanaryModeText.parse(required('SEGUE_CANARY', env));
}

/** The schema of `SEGUE_SWITCHED_OFF`: the parts of Segue that a stack does not have, separated by commas. */
const SwitchedOff = /* @__PURE__ */ z.array(
  z.enum(SWITCHES, `SEGUE_SWITCHED_OFF must be names with commas between them, of ${SWITCHES.join(', ')}`),
);

/** Reads which parts of Segue this stack does not have. @throws if the setting is wrong */
export function switchedOff(env: Variables = process.env): readonly Switch[] {
  const names = env['SEGUE_SWITCHED_OFF'];
  return names ? SwitchedOff.parse(names.split(',')) : [];
}

/** Reads whether events may be sent to a receiver on this machine, which `npm start` sets for its flag. */
export function allowsLoopbackEvents(env: Variables = process.env): boolean {
  return env['SEGUE_ALLOW_LOOPBACK_EVENTS'] === '1';
}

/**
 * Reads the settings for the upstream service. If `propagationMs` is `undefined`, the default of `lib/upstream`
 * applies.
 */
export function upstreamSettings(env: Variables = process.env) {
  const { SEGUE_UPSTREAM_MARK: mark, SEGUE_SETTLE_SECONDS: seconds } = env;
  return {
    customIdPrefix: mark ? UpstreamMark.parse(mark) : DEFAULT_CUSTOM_ID_PREFIX,
    propagationMs: seconds ? SettleSeconds.parse(seconds) * 1_000 : undefined,
  };
}

/** Reads the rate limit of each company. Returns `undefined` if there is no limit. */
export function companyRateLimit(env: Variables = process.env): Rate | undefined {
  const rate = env['SEGUE_RATE'];
  return rate ? CompanyRateText.parse(rate) : undefined;
}

/** The engines that `SEGUE_TRANSLATION_ENGINE` can name. With `none`, nothing is translated automatically. */
export const TRANSLATION_ENGINES = ['pseudo', 'libretranslate', 'deepl', 'apertium', 'amazon', 'none'] as const;
export type TranslationEngineName = (typeof TRANSLATION_ENGINES)[number];

/** The schema of `SEGUE_TRANSLATION_ENGINE`. */
export const TranslationEngineText = /* @__PURE__ */ z.enum(
  TRANSLATION_ENGINES,
  `SEGUE_TRANSLATION_ENGINE must be one of ${TRANSLATION_ENGINES.join(', ')}`,
);

function baseUrl(message: string) {
  return z.string().check(z.refine((text) => readServerUrl(text) !== undefined, message));
}

function readServerUrl(text: string): URL | undefined {
  return readBaseUrl(text, { protocols: ['http', 'https'] });
}

/** The schema of `SEGUE_TRANSLATION_URL`: the base URL of an engine. */
export const TranslationUrl = /* @__PURE__ */ baseUrl(`SEGUE_TRANSLATION_URL must be ${BASE_URL_RULE}`);

/** The schema of `SEGUE_TRANSLATION_CHARACTERS_PER_DAY`: how many characters a company may have translated in a day. */
export const TranslationCharacters = /* @__PURE__ */ wholeNumber(
  /^\d{1,12}$/,
  999_999_999_999,
  'SEGUE_TRANSLATION_CHARACTERS_PER_DAY must be a whole number of characters from 0 to 999999999999',
);

/** For engines that need settings: the settings of which one must be set. */
const NEEDS: Readonly<Partial<Record<TranslationEngineName, readonly string[]>>> = {
  libretranslate: ['SEGUE_TRANSLATION_URL'],
  apertium: ['SEGUE_TRANSLATION_URL'],
  deepl: ['SEGUE_TRANSLATION_KEY', 'SEGUE_TRANSLATION_SECRET'],
};

/** The settings that only some engines read, with these engines. */
export const ENGINES_OF_SETTINGS = {
  SEGUE_TRANSLATION_URL: ['libretranslate', 'deepl', 'apertium'],
  SEGUE_TRANSLATION_KEY: ['libretranslate', 'deepl'],
  SEGUE_TRANSLATION_SECRET: ['libretranslate', 'deepl'],
} as const satisfies Readonly<Record<string, readonly TranslationEngineName[]>>;

/** Returns why a translation engine cannot work with these variables; `undefined` if it can. */
export function translationFault(engine: TranslationEngineName, env: Variables): string | undefined {
  const { SEGUE_TRANSLATION_KEY: key, SEGUE_TRANSLATION_SECRET: secret } = env;
  if (key && secret) return 'set SEGUE_TRANSLATION_KEY or SEGUE_TRANSLATION_SECRET, not both';
  const needed = NEEDS[engine];
  return !needed || needed.some((name) => env[name])
    ? undefined
    : `SEGUE_TRANSLATION_ENGINE=${engine} needs ${needed.join(' or ')}`;
}

/** The settings of automatic translation. */
export interface TranslationSettings {
  readonly engine: TranslationEngineName;
  readonly url: URL | undefined;
  /** How many characters each company may have translated in a day; `undefined` if there is no limit. */
  readonly charactersPerDay: number | undefined;
}

/**
 * Reads the settings of automatic translation.
 * @param defaultEngine the engine of the platform, if no other is set
 * @throws if a setting is wrong, or the engine needs another one
 */
export function translationSettings(
  defaultEngine: TranslationEngineName,
  env: Variables = process.env,
): TranslationSettings {
  const {
    SEGUE_TRANSLATION_ENGINE: name,
    SEGUE_TRANSLATION_URL: url,
    SEGUE_TRANSLATION_CHARACTERS_PER_DAY: characters,
  } = env;
  const engine = name ? TranslationEngineText.parse(name) : defaultEngine;
  const fault = translationFault(engine, env);
  if (fault !== undefined) throw new RangeError(fault);
  return {
    engine,
    url: url ? readServerUrl(TranslationUrl.parse(url)) : undefined,
    charactersPerDay: characters ? TranslationCharacters.parse(characters) : undefined,
  };
}

const ADDRESS = /^[^\s@<>,"]{1,64}@[a-z0-9-]+(\.[a-z0-9-]+)+$/i;

/** The schema of `SEGUE_MAIL_FROM`: the sender of e-mails. */
export const MailFrom = /* @__PURE__ */ text(ADDRESS, 'SEGUE_MAIL_FROM must be an e-mail address');

/** The schema of `SEGUE_MAIL_DOMAINS`: the domains to which e-mails may go. */
export const MailDomains = /* @__PURE__ */ text(
  /^[a-z0-9-]+(\.[a-z0-9-]+)+(,[a-z0-9-]+(\.[a-z0-9-]+)+)*$/i,
  'SEGUE_MAIL_DOMAINS must be domains with commas between them, such as example.com,example.org',
);

/** The schema of `SEGUE_MAIL_SERVER`: the SMTP server. */
export const MailServer = /* @__PURE__ */ text(
  /^smtps?:\/\/([^\s@/]+@)?[a-z0-9.-]+(:\d{1,5})?$/i,
  'SEGUE_MAIL_SERVER must be smtp:// or smtps:// and a host, such as smtps://user:password@mail.example.com:465',
);

/** The schema of `SEGUE_SECURITY_CONTACT`: to whom security reports go. */
export const SecurityContactText = /* @__PURE__ */ text(
  SECURITY_CONTACT,
  `SEGUE_SECURITY_CONTACT must be ${SECURITY_CONTACT_RULE}`,
);

/** The schema of `SEGUE_SECURITY_POLICY`: the policy for security reports. */
export const SecurityPolicyText = /* @__PURE__ */ text(
  SECURITY_POLICY,
  `SEGUE_SECURITY_POLICY must be ${SECURITY_POLICY_RULE}`,
);

/** Reads the contact for security reports. Returns `undefined` if there is none. */
export function securityContact(env: Variables = process.env): SecurityContact | undefined {
  const { SEGUE_SECURITY_CONTACT: contact, SEGUE_SECURITY_POLICY: policy } = env;
  if (!contact) return undefined;
  return {
    contact: SecurityContactText.parse(contact),
    policy: policy ? SecurityPolicyText.parse(policy) : undefined,
  };
}

/** The settings of e-mails to the members of managed projects. */
export interface MailSettings {
  readonly from: string;
  /** In lower case. */
  readonly domains: ReadonlySet<string>;
}

/** Reads the settings of e-mails. Returns `undefined` if Segue sends none. @throws if a setting is wrong */
export function mailSettings(env: Variables = process.env): MailSettings | undefined {
  const { SEGUE_MAIL_FROM: from, SEGUE_MAIL_DOMAINS: domains } = env;
  if (!from || !domains) return undefined;
  return { from: MailFrom.parse(from), domains: new Set(MailDomains.parse(domains).toLowerCase().split(',')) };
}

/** The settings of Segue on one machine. */
export interface MachineSettings {
  /** The folder of the store, the keys and the secrets. */
  readonly dataDir: string;
  /** The id of the sandbox company; `sandbox` if `undefined`. */
  readonly companyId: string | undefined;
  /** The API key of this company. If `undefined`, Segue creates a key and keeps it in the data folder. */
  readonly apiKey: string | undefined;
  readonly rate: Rate | undefined;
  /** The folder of project files, for workflows that name a project instead of sending it. */
  readonly projectsDir: string | undefined;
  /** The credentials for the upstream service, or the name of the AWS secret that contains them. */
  readonly upstream: {
    readonly companyId: string | undefined;
    readonly apiKey: string | undefined;
    readonly secret: string | undefined;
  };
  /** The URL of the SMTP server, with its credentials. */
  readonly mailServer: string | undefined;
  /** The API key of the translation engine, or the name of the AWS secret that contains it. */
  readonly translation: {
    readonly key: string | undefined;
    readonly secret: string | undefined;
  };
}

/** Reads the settings of Segue on one machine from environment variables. */
export function machineSettings(env: Variables = process.env): MachineSettings {
  return {
    dataDir: env['SEGUE_DATA_DIR'] || DEFAULT_FOLDER,
    companyId: env['SEGUE_COMPANY_ID'] || undefined,
    apiKey: env['SEGUE_API_KEY'] || undefined,
    rate: companyRateLimit(env),
    projectsDir: env['SEGUE_PROJECTS_DIR'] || undefined,
    mailServer: env['SEGUE_MAIL_SERVER'] || undefined,
    upstream: {
      companyId: env['SEGUE_UPSTREAM_COMPANY_ID'] || undefined,
      apiKey: env['SEGUE_UPSTREAM_API_KEY'] || undefined,
      secret: env['SEGUE_UPSTREAM_SECRET'] || undefined,
    },
    translation: {
      key: env['SEGUE_TRANSLATION_KEY'] || undefined,
      secret: env['SEGUE_TRANSLATION_SECRET'] || undefined,
    },
  };
}
