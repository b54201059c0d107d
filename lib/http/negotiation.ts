import type { MediaType } from '../contract/routes.ts';

/** One entry of a header such as `Accept` (RFC 9110). */
interface Preference {
  readonly range: string;
  readonly quality: number;
}

function preferences(header: string): Preference[] {
  return header.split(',').map((entry) => {
    const [range = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    return { range, quality: quality === undefined ? 1 : Number(quality) || 0 };
  });
}

/** The quality of the first of these ranges in the header. Ranges come in order, the most specific first. */
function qualityOf(header: string, ranges: readonly string[]): number | undefined {
  const all = preferences(header);
  for (const range of ranges) {
    const found = all.find((preference) => preference.range === range);
    if (found) return found.quality;
  }
  return undefined;
}

/**
 * Returns the type that `Accept` prefers; of equally preferred types the first one. Without the header every type is accepted.
 * @returns `undefined` if it accepts none
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

/** Whether `Prefer` (RFC 7240) asks for a representation of the result. */
export function prefersRepresentation(prefer: string | undefined): boolean {
  return hasPreference(prefer, /^\s*return\s*=\s*"?representation"?\s*(;|$)/i);
}

/** Whether `Prefer` (RFC 7240) asks for an answer before the work is done. */
export function prefersAsync(prefer: string | undefined): boolean {
  return hasPreference(prefer, /^\s*respond-async\s*(;|$)/i);
}

function hasPreference(prefer: string | undefined, preference: RegExp): boolean {
  return prefer?.split(',').some((entry) => preference.test(entry)) ?? false;
}
