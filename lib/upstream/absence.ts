import { parseJson } from './json.ts';
import type { Answer } from './transport.ts';

const JSON_TYPE = /^application\/(?:[\w.!#$&^+-]+\+)?json\s*(?:;|$)/i;

/**
 * Whether a 404 of a service of another make may be its word that a project is not there: without a body, or in JSON.
 * A proxy or a web server at the base URL answers 404 too, and shows a page with it.
 */
export function isAbsence({ headers, body }: Answer): boolean {
  if (typeof body !== 'string' && body.length === 0) return true;
  return JSON_TYPE.test(headers['content-type'] ?? '') && parseJson(body) !== undefined;
}
