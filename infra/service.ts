import { readBaseUrl, writeBaseUrl } from '../lib/contract/base-url.ts';
import type { ServiceName } from './functions/catalogue.ts';
import { SettingError } from './setting-error.ts';

/** The service behind the port, as a stack deploys it. */
export type Service = { readonly name: Extract<ServiceName, 'hosted'> } | UpstreamService;

/** Another service, at its base URL. */
export interface UpstreamService {
  readonly name: Extract<ServiceName, 'upstream'>;
  /** https, without a slash at its end. */
  readonly url: string;
  /** How custom ids at the service begin; the functions' own word unless given. */
  readonly mark?: string | undefined;
  /** How long what was sent may take to show, in seconds; as the functions have it unless given. */
  readonly settleSeconds?: number | undefined;
}

/** The service that Segue itself contains: a table, a bucket and a bus more. */
export function hosted(): Service {
  return { name: 'hosted' };
}

/**
 * Another service, whose credentials the operator fills into a secret.
 * @throws {SettingError} where the base URL is none, or is not https; where mark or time cannot be used
 */
export function upstream({ url, mark, settleSeconds }: Omit<UpstreamService, 'name'>): UpstreamService {
  // https alone: Basic credentials must not travel in the clear
  const read = readBaseUrl(url, { protocols: ['https'] });
  if (!read) {
    throw new SettingError(
      'upstreamUrl must be an https URL without credentials, query or fragment, such as -c upstreamUrl=https://projects.example.com/api',
    );
  }
  if (mark !== undefined && !/^[A-Za-z0-9_-]{1,32}$/.test(mark)) {
    throw new SettingError(
      'upstreamMark must be 1 to 32 letters, digits, "_" or "-" of ASCII, such as -c upstreamMark=segue',
    );
  }
  if (
    settleSeconds !== undefined &&
    !(Number.isInteger(settleSeconds) && settleSeconds >= 1 && settleSeconds <= 3_600)
  ) {
    throw new SettingError('settleSeconds must be a whole number of seconds from 1 to 3600');
  }
  return { name: 'upstream', url: writeBaseUrl(read), mark, settleSeconds };
}
