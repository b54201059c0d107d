import type { Deadline } from '../service/deadline.ts';
import { type GetEntries, readFetchUrls } from '../webhooks/fetch-entry.ts';
import type { JsonMapper } from '../webhooks/mapping/mapper.ts';
import type { Destination } from './destinations.ts';

/** The dependencies of `fetchPage`. */
export interface FetchPageDeps {
  readonly mapper: JsonMapper;
  /** Opens the function that gets pages. Only a destination with a fetch needs it. */
  readonly openGetEntries: () => Promise<GetEntries>;
}

interface FetchPageOptions {
  /** The time that the expression sees, in milliseconds since 1970. */
  readonly nowMs: number;
  /** Reads the header with the secret of the destination. */
  readonly secretHeaders: () => Promise<Readonly<Record<string, string>>>;
  readonly deadline: Deadline;
}

/**
 * Gets the page of a project from the system of a destination.
 * @param input the input of the mapping as JSON, without segments
 * @returns the page as JSON; `undefined` if the destination fetches nothing for this input
 * @throws {FetchFailure} if the page cannot be had
 * @throws {Problem} `mapping-failed` if the expression fails
 */
export async function fetchPage(
  { mapper, openGetEntries }: FetchPageDeps,
  { fetch, hosts }: Pick<Destination, 'fetch' | 'hosts'>,
  input: string,
  { nowMs, secretHeaders, deadline }: FetchPageOptions,
): Promise<string | undefined> {
  if (fetch === undefined) return undefined;
  const urls = readFetchUrls(await mapper.applyToJson(fetch, input, nowMs, 'fetch expression'), hosts);
  if (!urls) return undefined;
  const getEntries = await openGetEntries();
  return getEntries(urls, { hosts, secretHeader: await secretHeaders(), deadline });
}
