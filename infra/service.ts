import { readBaseUrl, writeBaseUrl } from '../lib/contract/base-url.ts';
import type { ServiceName } from './catalogue.ts';
import { SettingError } from './setting-error.ts';

/** The service behind the port, as a stack deploys it. */
export type Service = { readonly name: Extract<ServiceName, 'hosted'> } | UpstreamService;

/** Another service, at its base URL. */
export interface UpstreamService {
  readonly name: Extract<ServiceName, 'upstream'>;
  /** https, without a slash at its end. */
  readonly url: string;
}

/** The service that Segue itself contains: a table, a bucket and a bus more. */
export function hosted(): Service {
  return { name: 'hosted' };
}

/**
 * Another service, whose credentials the operator fills into a secret.
 * @throws {SettingError} where the base URL is none, or is not https
 */
export function upstream({ url }: { readonly url: string }): UpstreamService {
  // https alone: Basic credentials must not travel in the clear
  const read = readBaseUrl(url, { protocols: ['https'] });
  if (!read) {
    throw new SettingError(
      'upstreamUrl must be an https URL without credentials, query or fragment, such as -c upstreamUrl=https://projects.example.com/api',
    );
  }
  return { name: 'upstream', url: writeBaseUrl(read) };
}
