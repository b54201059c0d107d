import type { CanaryMode } from '../../lib/contract/canary.ts';
import {
  CANARY,
  COMPANY_RATE,
  MAIL_DOMAINS,
  MAIL_FROM,
  type Rate,
  RECOVERY_DAYS,
  readSetting,
  SECURITY_CONTACT,
  SECURITY_POLICY,
  SETTLE_SECONDS,
  type SecurityContact,
  type Setting,
  START_TOLERANCE_SECONDS,
  SWITCHED_OFF,
  TRANSLATION_CHARACTERS,
  TRANSLATION_ENGINE,
  TRANSLATION_URL,
  type TranslationEngineName,
  UPSTREAM_MARK,
  type Variables,
  WrongSetting,
} from '../../lib/contract/settings.ts';
import type { Switch } from '../../lib/contract/switches.ts';
import { DEFAULT_FOLDER } from '../../lib/storage/sqlite/database.ts';
import { DEFAULT_CUSTOM_ID_PREFIX } from '../../lib/upstream/custom-ids.ts';

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

/** Reads a setting that counts units of time. @returns milliseconds; `undefined` if the setting is not set */
function readMs(setting: Setting<number>, unitMs: number, env: Variables): number | undefined {
  const count = readSetting(setting, env);
  return count === undefined ? undefined : count * unitMs;
}

/**
 * Reads a required environment variable. The stack, or `npm start`, sets it.
 * @throws {RangeError} if the variable is not set
 */
export function required(name: `SEGUE_${string}`, env: Variables = process.env): string {
  const value = env[name];
  if (!value) throw notSet(name);
  return value;
}

function notSet(name: string): RangeError {
  return new RangeError(`The environment variable ${name} is not set`);
}

/**
 * Reads the settings that the hosted and the upstream service share. For an `undefined` setting, the service uses its
 * own default.
 */
export function serviceSettings(env: Variables = process.env) {
  return { startDateToleranceMs: readMs(START_TOLERANCE_SECONDS, SECOND_MS, env) };
}

/**
 * Reads how far back the table of the hosted service can be restored, in milliseconds. Returns `undefined` if it cannot
 * be restored.
 */
export function recoverableMs(env: Variables = process.env): number | undefined {
  return readMs(RECOVERY_DAYS, DAY_MS, env);
}

/** Reads what the canary does. @throws if the setting is missing or wrong */
export function canaryMode(env: Variables = process.env): CanaryMode {
  const mode = readSetting(CANARY, env);
  if (mode === undefined) throw notSet(CANARY.variable);
  return mode;
}

/** Reads which parts of Segue this stack does not have. @throws if the setting is wrong */
export function switchedOff(env: Variables = process.env): readonly Switch[] {
  return readSetting(SWITCHED_OFF, env) ?? [];
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
  return {
    customIdPrefix: readSetting(UPSTREAM_MARK, env) ?? DEFAULT_CUSTOM_ID_PREFIX,
    propagationMs: readMs(SETTLE_SECONDS, SECOND_MS, env),
  };
}

/** Reads the rate limit of each company. Returns `undefined` if there is no limit. */
export function companyRateLimit(env: Variables = process.env): Rate | undefined {
  return readSetting(COMPANY_RATE, env);
}

/** For engines that need settings: the settings of which one must be set. */
const NEEDS: Readonly<Partial<Record<TranslationEngineName, readonly string[]>>> = {
  libretranslate: ['SEGUE_TRANSLATION_URL'],
  apertium: ['SEGUE_TRANSLATION_URL'],
  deepl: ['SEGUE_TRANSLATION_KEY', 'SEGUE_TRANSLATION_SECRET'],
};

/** The settings that only some engines read, with these engines. */
export const ENGINES_OF_SETTINGS: Readonly<Record<string, readonly TranslationEngineName[]>> = {
  SEGUE_TRANSLATION_URL: ['libretranslate', 'deepl', 'apertium'],
  SEGUE_TRANSLATION_KEY: ['libretranslate', 'deepl'],
  SEGUE_TRANSLATION_SECRET: ['libretranslate', 'deepl'],
};

/**
 * Reads the settings of automatic translation. If no engine is set, it is that of the platform; without
 * `charactersPerDay`, each company may have any number of characters translated.
 * @param defaultEngine the engine of the platform
 * @throws if a setting is wrong, or the engine needs another one
 */
export function translationSettings(defaultEngine: TranslationEngineName, env: Variables = process.env) {
  const engine = readSetting(TRANSLATION_ENGINE, env) ?? defaultEngine;
  const { SEGUE_TRANSLATION_KEY: key, SEGUE_TRANSLATION_SECRET: secret } = env;
  if (key && secret) throw new WrongSetting('set SEGUE_TRANSLATION_KEY or SEGUE_TRANSLATION_SECRET, not both');
  const needed = NEEDS[engine];
  if (needed && !needed.some((name) => env[name])) {
    throw new WrongSetting(`SEGUE_TRANSLATION_ENGINE=${engine} needs ${needed.join(' or ')}`);
  }
  return {
    engine,
    url: readSetting(TRANSLATION_URL, env),
    charactersPerDay: readSetting(TRANSLATION_CHARACTERS, env),
  };
}
export type TranslationSettings = ReturnType<typeof translationSettings>;

/** Reads the contact for security reports. Returns `undefined` if there is none. */
export function securityContact(env: Variables = process.env): SecurityContact | undefined {
  const contact = readSetting(SECURITY_CONTACT, env);
  return contact === undefined ? undefined : { contact, policy: readSetting(SECURITY_POLICY, env) };
}

/**
 * Reads the settings of e-mails to the members of managed projects: the sender, and the domains in lower case. Returns
 * `undefined` if Segue sends none. @throws if a setting is wrong
 */
export function mailSettings(env: Variables = process.env) {
  const [from, domains] = [readSetting(MAIL_FROM, env), readSetting(MAIL_DOMAINS, env)];
  if (from === undefined || domains === undefined) return undefined;
  return { from, domains: new Set(domains.toLowerCase().split(',')) };
}

/** Reads the settings of Segue on one machine from environment variables. */
export function machineSettings(env: Variables = process.env) {
  const textOf = (name: `SEGUE_${string}`) => env[name] || undefined;
  return {
    /** The folder of the store, the keys and the secrets. */
    dataDir: textOf('SEGUE_DATA_DIR') ?? DEFAULT_FOLDER,
    /** The id of the sandbox company; `sandbox` if `undefined`. */
    companyId: textOf('SEGUE_COMPANY_ID'),
    /** The API key of this company. If `undefined`, Segue creates a key and keeps it in the data folder. */
    apiKey: textOf('SEGUE_API_KEY'),
    rate: companyRateLimit(env),
    /** The folder of project files, for workflows that name a project instead of sending it. */
    projectsDir: textOf('SEGUE_PROJECTS_DIR'),
    /** The URL of the SMTP server, with its credentials. */
    mailServer: textOf('SEGUE_MAIL_SERVER'),
    /** The credentials for the upstream service, or the name of the AWS secret that contains them. */
    upstream: {
      companyId: textOf('SEGUE_UPSTREAM_COMPANY_ID'),
      apiKey: textOf('SEGUE_UPSTREAM_API_KEY'),
      secret: textOf('SEGUE_UPSTREAM_SECRET'),
    },
    /** The API key of the translation engine, or the name of the AWS secret that contains it. */
    translation: { key: textOf('SEGUE_TRANSLATION_KEY'), secret: textOf('SEGUE_TRANSLATION_SECRET') },
  };
}
export type MachineSettings = ReturnType<typeof machineSettings>;
