import { BASE_URL_RULE, readBaseUrl } from './base-url.ts';
import { COMPANY_ID } from './basic-credentials.ts';
import { CANARY_MODES } from './canary.ts';
import { SWITCHES } from './switches.ts';

/**
 * A setting of Segue: the environment variable of functions and of `npm start`, and what its value must be. The options
 * of a stack have the same values.
 */
export interface Setting<T> {
  readonly variable: string;
  /** The end of the sentence `<variable> must be …`. */
  readonly rule: string;
  /** Reads the text of the variable. @returns `undefined` if it breaks the rule */
  readonly parse: (text: string) => T | undefined;
}

/** A setting that is a whole number in a range, both ends included. */
interface NumberSetting extends Setting<number> {
  readonly range: readonly [min: number, max: number];
}

/** Environment variables. An empty variable counts as not set. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The error for a setting that breaks its rule. Its message is one line for the operator, without the value. */
export class WrongSetting extends RangeError {
  override readonly name = 'WrongSetting';
}

/** Reads a setting. @returns `undefined` if it is not set. @throws {WrongSetting} if it breaks its rule */
export function readSetting<T>({ variable, rule, parse }: Setting<T>, variables: Variables): T | undefined {
  const text = variables[variable];
  if (!text) return undefined;
  const value = parse(text);
  if (value === undefined) throw new WrongSetting(`${variable} must be ${rule}`);
  return value;
}

/** Makes a setting whose text has a form. */
function text(variable: string, form: RegExp, rule: string): Setting<string> {
  return { variable, rule, parse: (value) => (form.test(value) ? value : undefined) };
}

/** Makes a setting that is a whole number. @param unit what the number counts, such as `seconds` */
function wholeNumber(variable: string, unit: string, [min, max]: NumberSetting['range']): NumberSetting {
  const parse = (digits: string) => {
    const number = /^\d{1,12}$/.test(digits) ? Number(digits) : Number.NaN;
    return number >= min && number <= max ? number : undefined;
  };
  return { variable, rule: `a whole number of ${unit} from ${min} to ${max}`, parse, range: [min, max] };
}

/** Makes a setting that is one of some names. @param choice what comes before them in the rule; absent if they are two */
function oneOf<T extends string>(variable: string, names: readonly T[], choice = ''): Setting<T> {
  const rule = choice + names.join(choice ? ', ' : ' or ');
  return { variable, rule, parse: (value) => names.find((name) => name === value) };
}

/** Makes a setting that is some of some names, with commas between them. The value has them in their usual order. */
function someOf<T extends string>(variable: string, names: readonly T[]): Setting<readonly T[]> {
  return {
    variable,
    rule: `names with commas between them, of ${names.join(', ')}`,
    parse(value) {
      const given = value.split(',');
      return given.every((one) => names.some((name) => name === one))
        ? names.filter((name) => given.includes(name))
        : undefined;
    },
  };
}

/** A limit on requests, as a token bucket: the sustained rate per second, and the largest burst. Both are whole numbers. */
export interface Rate {
  readonly perSecond: number;
  /** How many requests may come at once after a pause. */
  readonly burst: number;
}

/**
 * Makes a setting that is a rate: the requests per second, optionally followed by a colon and the burst. The default
 * burst is twice the requests per second.
 * @param counted what the rate counts, such as `requests`
 */
function rate(variable: string, counted: string): Setting<Rate> {
  return {
    variable,
    rule: `1 to 99999 ${counted} per second, optionally with a burst: for example 50, or 50:100`,
    parse(value) {
      if (!/^[1-9]\d{0,4}(?::[1-9]\d{0,4})?$/.test(value)) return undefined;
      const [perSecond = 0, burst = 2 * perSecond] = value.split(':').map(Number);
      return { perSecond, burst };
    },
  };
}

// The calls are marked pure, so that a bundle holds only the settings that it reads.

/** The port of the gateway on this machine. */
export const PORT: Setting<number> = {
  variable: 'PORT',
  rule: 'a number from 0 (any free port) to 65535',
  parse: (digits) => (/^\d{1,5}$/.test(digits) && Number(digits) <= 65_535 ? Number(digits) : undefined),
};

/** How many wrong credentials the gateway on this machine takes from an address, and their burst. */
export const WRONG_CREDENTIALS = /* @__PURE__ */ rate('SEGUE_WRONG_CREDENTIALS', 'wrong credentials');

/** How many requests a company may send per second, and its burst. */
export const COMPANY_RATE = /* @__PURE__ */ rate('SEGUE_RATE', 'requests');

/** How many seconds a start date may be before or after the current time. */
export const START_TOLERANCE_SECONDS = /* @__PURE__ */ wholeNumber(
  'SEGUE_START_TOLERANCE_SECONDS',
  'seconds',
  [0, 999_999],
);

/** The prefix of Segue's custom ids at the upstream service. It has no dot, because a dot separates it from the company id. */
export const UPSTREAM_MARK = /* @__PURE__ */ text(
  'SEGUE_UPSTREAM_MARK',
  /^[A-Za-z0-9_-]{1,32}$/,
  '1 to 32 ASCII letters, digits, "_" or "-"',
);

/** How many seconds the upstream service may take to show a change. */
export const SETTLE_SECONDS = /* @__PURE__ */ wholeNumber('SEGUE_SETTLE_SECONDS', 'seconds', [1, 3_600]);

/** How many days back the table can be restored. */
export const RECOVERY_DAYS = /* @__PURE__ */ wholeNumber('SEGUE_RECOVERY_DAYS', 'days', [0, 99]);

/** What the canary does. */
export const CANARY = /* @__PURE__ */ oneOf('SEGUE_CANARY', CANARY_MODES);

/** The parts of Segue that a stack does not have, separated by commas. */
export const SWITCHED_OFF = /* @__PURE__ */ someOf('SEGUE_SWITCHED_OFF', SWITCHES);

/** The engines of automatic translation. With `none`, nothing is translated automatically. */
export const TRANSLATION_ENGINES = ['pseudo', 'libretranslate', 'deepl', 'apertium', 'amazon', 'none'] as const;
export type TranslationEngineName = (typeof TRANSLATION_ENGINES)[number];

export const TRANSLATION_ENGINE = /* @__PURE__ */ oneOf('SEGUE_TRANSLATION_ENGINE', TRANSLATION_ENGINES, 'one of ');

/** The base URL of an engine. */
export const TRANSLATION_URL: Setting<URL> = {
  variable: 'SEGUE_TRANSLATION_URL',
  rule: BASE_URL_RULE,
  parse: (value) => readBaseUrl(value, { protocols: ['http', 'https'] }),
};

/** How many characters a company may have translated in a day. */
export const TRANSLATION_CHARACTERS = /* @__PURE__ */ wholeNumber(
  'SEGUE_TRANSLATION_CHARACTERS_PER_DAY',
  'characters',
  [0, 999_999_999_999],
);

/** The sender of e-mails. */
export const MAIL_FROM = /* @__PURE__ */ text(
  'SEGUE_MAIL_FROM',
  /^[^\s@<>,"]{1,64}@[a-z0-9-]+(\.[a-z0-9-]+)+$/i,
  'an e-mail address',
);

/** The domains to which e-mails may go. */
export const MAIL_DOMAINS = /* @__PURE__ */ text(
  'SEGUE_MAIL_DOMAINS',
  /^[a-z0-9-]+(\.[a-z0-9-]+)+(,[a-z0-9-]+(\.[a-z0-9-]+)+)*$/i,
  'domains with commas between them, such as example.com,example.org',
);

/** To whom security reports go: an https URL, or an e-mail address as a mailto URL. */
export const SECURITY_CONTACT = /* @__PURE__ */ text(
  'SEGUE_SECURITY_CONTACT',
  /^(?:https:\/\/[\w.-]+(?:[/:?#][\x21-\x7e]*)?|mailto:[\w.+-]+@[\w-]+(?:\.[\w-]+)+)$/,
  'an https or mailto URL, such as https://example.com/security or mailto:security@example.com',
);

/** To whom security reports go, as the settings say. */
export interface SecurityContact {
  /** An https or mailto URL. */
  readonly contact: string;
  /** The URL of the policy for reports. */
  readonly policy?: string | undefined;
}

/** The URL of the policy for security reports. */
export const SECURITY_POLICY = /* @__PURE__ */ text(
  'SEGUE_SECURITY_POLICY',
  /^https:\/\/[\w.-]+(?:[/:?#][\x21-\x7e]*)?$/,
  'an https URL, such as https://example.com/security-policy',
);

/**
 * The form of a company id at the upstream service: 1 to 255 visible ASCII characters, which have the same bytes in
 * every charset. It has no colon, because a colon ends the id in Basic credentials (RFC 7617).
 */
export const UPSTREAM_COMPANY_ID_FORM = /^[\x21-\x39\x3b-\x7e]{1,255}$/;
/** The form of an API key of another service, such as the upstream service or a translation engine. */
export const LONG_KEY = /^[\x21-\x7e]{1,1024}$/;
const LONG_KEY_RULE = '1 to 1,024 visible ASCII characters';
const SECRET_NAME = /^[\w/+=.@:-]{1,2048}$/;
const SECRET_NAME_RULE = 'the name or ARN of a secret';

/** Returns the settings of `npm start`, in the order in which it checks them. */
export function startSettings(): readonly Setting<unknown>[] {
  return [
    PORT,
    WRONG_CREDENTIALS,
    text('SEGUE_DATA_DIR', /^/, 'the path of a folder'),
    text('SEGUE_COMPANY_ID', COMPANY_ID, '1 to 64 letters, digits, "_" or "-" of ASCII'),
    text('SEGUE_API_KEY', /^[\x21-\x7e]{16,255}$/, '16 to 255 visible ASCII characters'),
    START_TOLERANCE_SECONDS,
    COMPANY_RATE,
    text('SEGUE_UPSTREAM_COMPANY_ID', UPSTREAM_COMPANY_ID_FORM, '1 to 255 visible ASCII characters without ":"'),
    text('SEGUE_UPSTREAM_API_KEY', LONG_KEY, LONG_KEY_RULE),
    text('SEGUE_UPSTREAM_SECRET', SECRET_NAME, SECRET_NAME_RULE),
    UPSTREAM_MARK,
    SETTLE_SECONDS,
    TRANSLATION_ENGINE,
    TRANSLATION_URL,
    text('SEGUE_TRANSLATION_KEY', LONG_KEY, LONG_KEY_RULE),
    text('SEGUE_TRANSLATION_SECRET', SECRET_NAME, SECRET_NAME_RULE),
    TRANSLATION_CHARACTERS,
    text(
      'SEGUE_MAIL_SERVER',
      /^smtps?:\/\/([^\s@/]+@)?[a-z0-9.-]+(:\d{1,5})?$/i,
      'smtp:// or smtps:// and a host, such as smtps://user:password@mail.example.com:465',
    ),
    MAIL_FROM,
    MAIL_DOMAINS,
    SECURITY_CONTACT,
    SECURITY_POLICY,
    text('SEGUE_TABLE', /^[\w.-]{3,255}$/, 'the name of a DynamoDB table'),
    text('SEGUE_BUCKET', /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'the name of an S3 bucket'),
  ];
}
