import { readBaseUrl, writeBaseUrl } from '../lib/contract/base-url.ts';
import { type LookupName, UPSTREAM_LOOKUPS } from '../lib/contract/lookups.ts';
import { TRANSLATION_PRICE } from '../lib/contract/price.ts';
import {
  MAIL_DOMAINS,
  MAIL_FROM,
  SETTLE_SECONDS,
  TRANSLATION_CHARACTERS,
  type TranslationEngineName,
  UPSTREAM_MARK,
} from '../lib/contract/settings.ts';
import { requireWhole, SettingError } from './setting-error.ts';

/**
 * The project service that handles the API's requests: `hosted` is Segue's own, `upstream` is another service at a base
 * URL.
 */
export type Service = HostedService | UpstreamService;

/** How the hosted service translates automatically. */
export interface TranslationOptions {
  /** The translation engine. Default: `amazon`, which is Amazon Translate. */
  readonly engine?: TranslationEngineName | undefined;
  /** The base URL of the engine's server: https. `libretranslate` and `apertium` need it. */
  readonly url?: string | undefined;
  /** The ARN of the secret with the engine's API key: `{ "key" }`. `deepl` needs it. */
  readonly secretArn?: string | undefined;
  /** How many characters each company may have translated in a day. Default: no limit. */
  readonly charactersPerDay?: number | undefined;
  /** The price of a million characters, which quotes show: an amount and a currency, such as `20 EUR`. Default: none. */
  readonly price?: string | undefined;
}

/** How the hosted service sends e-mails to the members of managed projects: with Amazon SES. */
export interface MailOptions {
  /** The address of the sender. Amazon SES must know it as an identity of the account. */
  readonly from: string;
  /** The domains to which e-mails may go. */
  readonly domains: readonly string[];
}

export interface HostedService {
  readonly name: 'hosted';
  readonly translation?: TranslationOptions;
  /** Default: no e-mails. */
  readonly mail?: MailOptions;
  /**
   * Whether translations may leave for the destinations that the operator adds. Without it, the gateway has no function
   * and no secrets for them. It needs the option `events`. Default: no.
   */
  readonly destinations?: boolean;
}

export interface UpstreamService {
  readonly name: 'upstream';
  /** The service's base URL: https, without a trailing slash. */
  readonly url: string;
  /** The prefix that Segue adds to custom ids at the upstream service. Default: `segue`. */
  readonly mark?: string | undefined;
  /** How long a change may take until reads at the upstream service show it, in seconds. Default: 60. */
  readonly settleSeconds?: number | undefined;
  /** The lookups at the upstream service that Segue passes on. Default: none. */
  readonly lookups?: readonly LookupName[] | undefined;
}

/**
 * Selects Segue's own project service.
 * @throws {SettingError} if an option of the translation or of e-mail is invalid or missing
 */
export function hosted({ translation, mail, destinations }: Omit<HostedService, 'name'> = {}): Service {
  return {
    name: 'hosted',
    ...(translation && { translation: checkTranslation(translation) }),
    ...(mail && { mail: checkMail(mail) }),
    ...(destinations && { destinations }),
  };
}

/** Returns the URL of the operator's server that functions call: the upstream service, or a translation engine. */
export function serverOf(service: Service): string | undefined {
  if (service.name === 'upstream') return service.url;
  const { engine, url } = service.translation ?? {};
  return engine === 'libretranslate' || engine === 'apertium' ? url : undefined;
}

function checkMail({ from, domains }: MailOptions): MailOptions {
  if (!MAIL_FROM.parse(from)) throw new SettingError(`mailFrom must be ${MAIL_FROM.rule}`);
  if (!MAIL_DOMAINS.parse(domains.join(','))) {
    throw new SettingError(
      'mailDomains must be domains with commas between them, such as -c mailDomains=example.com,example.org',
    );
  }
  return { from, domains };
}

function checkTranslation(translation: TranslationOptions): TranslationOptions {
  const { engine, url, secretArn, charactersPerDay, price } = translation;
  const baseUrl = url === undefined ? undefined : readBaseUrl(url, { protocols: ['https'] });
  if (url !== undefined && !baseUrl) {
    throw new SettingError('translationUrl must be an https URL without credentials, query or fragment');
  }
  const hasServer = engine === 'libretranslate' || engine === 'apertium';
  if (hasServer && url === undefined) {
    throw new SettingError(`translationEngine=${engine} needs translationUrl, the https URL of its server`);
  }
  if (!hasServer && engine !== 'deepl' && url !== undefined) {
    throw new SettingError('translationUrl is for translationEngine=libretranslate, apertium or deepl: leave it out');
  }
  if (engine === 'deepl' && secretArn === undefined) {
    throw new SettingError('translationEngine=deepl needs translationSecretArn, the ARN of the secret with its key');
  }
  if (engine !== 'deepl' && engine !== 'libretranslate' && secretArn !== undefined) {
    throw new SettingError('translationSecretArn is for translationEngine=deepl or libretranslate: leave it out');
  }
  const { range, rule } = TRANSLATION_CHARACTERS;
  requireWhole(charactersPerDay, range, `translationCharactersPerDay must be ${rule}`);
  if (price !== undefined && !TRANSLATION_PRICE.parse(price)) {
    throw new SettingError(`translationPrice must be ${TRANSLATION_PRICE.rule}`);
  }
  return { ...translation, ...(baseUrl && { url: writeBaseUrl(baseUrl) }) };
}

/** What the setting of the lookups must be. */
export const LOOKUPS_FORM = `upstreamLookups must be ${UPSTREAM_LOOKUPS.rule}, such as -c upstreamLookups=domains`;

/**
 * Selects another project service, to which Segue passes requests on. The operator writes Segue's credentials at that
 * service into a secret.
 * @throws {SettingError} if the base URL is invalid or not https, or if `mark`, `settleSeconds` or `lookups` is invalid
 */
export function upstream({ url, mark, settleSeconds, lookups }: Omit<UpstreamService, 'name'>): UpstreamService {
  // Segue sends Basic credentials, which must not travel unencrypted.
  const baseUrl = readBaseUrl(url, { protocols: ['https'] });
  if (!baseUrl) {
    throw new SettingError(
      'upstreamUrl, the url of upstream(), must be an https URL without credentials, query or fragment, such as https://projects.example.com/api',
    );
  }
  if (mark !== undefined && UPSTREAM_MARK.parse(mark) === undefined) {
    throw new SettingError(
      'upstreamMark must be 1 to 32 letters, digits, "_" or "-" of ASCII, such as -c upstreamMark=segue',
    );
  }
  requireWhole(settleSeconds, SETTLE_SECONDS.range, `settleSeconds must be ${SETTLE_SECONDS.rule}`);
  if (lookups?.length && UPSTREAM_LOOKUPS.parse(lookups.join(',')) === undefined) {
    throw new SettingError(LOOKUPS_FORM);
  }
  return { name: 'upstream', url: writeBaseUrl(baseUrl), mark, settleSeconds, lookups };
}
