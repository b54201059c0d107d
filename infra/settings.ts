import { readBaseUrl, writeBaseUrl } from '../lib/contract/base-url.ts';

/** What a deployment is told, beside the code. */
export interface Settings {
  /** The base URL of the service behind Segue: https, without a slash at its end. */
  readonly upstreamUrl: string;
}

/** A setting that cannot be used; its message is one line for whoever set it. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}

/**
 * Reads the settings from the CDK context (`cdk.json`, or `-c name=value`).
 * @throws {SettingError}
 */
export function readSettings(contextOf: (name: string) => unknown): Settings {
  return { upstreamUrl: readUpstreamUrl(contextOf('upstreamUrl')) };
}

function readUpstreamUrl(value: unknown): string {
  // https alone: Basic credentials must not travel in the clear
  const url = typeof value === 'string' ? readBaseUrl(value, { protocols: ['https'] }) : undefined;
  if (!url) {
    throw new SettingError(
      'upstreamUrl must be an https URL without credentials, query or fragment, such as -c upstreamUrl=https://projects.example.com/api',
    );
  }
  return writeBaseUrl(url);
}
