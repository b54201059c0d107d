import type { MediaType } from '../contract/routes.ts';

/** One entry of a header such as `Accept` (RFC 9110). */
interface Preference {
  /** A media type, a content coding, or a range such as `text/*`. */
  readonly range: string;
  /** The weight of the entry, from 0 (not acceptable) to 1. */
  readonly quality: number;
}

function preferences(header: string): Preference[] {
  return header.split(',').map((entry) => {
    const [range = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    return { range, quality: quality === undefined ? 1 : Number(quality) || 0 };
  });
}

/** Returns the quality of the first range that the header contains. @param ranges the most specific first */
function qualityOf(header: string, ranges: readonly string[]): number | undefined {
  const all = preferences(header);
  for (const range of ranges) {
    const found = all.find((preference) => preference.range === range);
    if (found) return found.quality;
  }
  return undefined;
}

/**
 * Returns the media type that `Accept` prefers. If `Accept` is missing, or prefers several types equally, it returns
 * the first of them in `types`.
 * @param types the types that the operation can return
 * @returns `undefined` if `Accept` accepts none of them
 */
export function preferredType(accept: string | undefined, types: readonly MediaType[]): MediaType | undefined {
  if (accept === undefined || accept.trim() === '') return types[0];
  let preferred: MediaType | undefined;
  let most = 0;
  for (const type of types) {
    const quality = qualityOf(accept, [type, `${type.slice(0, type.indexOf('/'))}/*`, '*/*']) ?? 0;
    if (quality > most) [preferred, most] = [type, quality];
  }
  return preferred;
}

/** Whether `Accept-Encoding` accepts gzip. */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  return acceptEncoding !== undefined && (qualityOf(acceptEncoding, ['gzip', 'x-gzip', '*']) ?? 0) > 0;
}

/** Whether the header `Prefer` (RFC 7240) has `return=representation`. */
export function prefersRepresentation(prefer: string | undefined): boolean {
  return hasPreference(prefer, /^\s*return\s*=\s*"?representation"?\s*(;|$)/i);
}

/** Whether the header `Prefer` (RFC 7240) has `return=minimal`. */
export function prefersMinimal(prefer: string | undefined): boolean {
  return hasPreference(prefer, /^\s*return\s*=\s*"?minimal"?\s*(;|$)/i);
}

/** Whether the header `Prefer` (RFC 7240) has `respond-async`: the client wants an answer before the work is done. */
export function prefersAsync(prefer: string | undefined): boolean {
  return hasPreference(prefer, /^\s*respond-async\s*(;|$)/i);
}

/**
 * Whether the header `Prefer` (RFC 7240) has `handling=strict`: the client wants an error if the server can do only a
 * part of the request.
 */
export function prefersStrict(prefer: string | undefined): boolean {
  return hasPreference(prefer, /^\s*handling\s*=\s*"?strict"?\s*(;|$)/i);
}

function hasPreference(prefer: string | undefined, preference: RegExp): boolean {
  return prefer?.split(',').some((entry) => preference.test(entry)) ?? false;
}
