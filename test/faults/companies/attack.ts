import * as z from 'zod/mini';
import { allLanguages } from '../../../lib/contract/languages.ts';
import type { HttpAnswer, HttpRequest } from '../../support/http.ts';
import type { JsonObject } from '../../support/projects.ts';

/** Requests of one company with a valid key, which all are accepted. */
export interface Attack {
  readonly title: string;
  readonly kind: 'texts' | 'shapes' | 'queues' | 'engines';
  /** Whether a small sample has the attack. Its attacks of a kind run on one gateway. */
  readonly isSampled?: boolean;
  /**
   * The projects to create first. Each has variants from the dearest to the cheapest, and the first accepted one counts:
   * so the attack stays at the limits also if they change.
   * @param silent the URLs of receivers that never answer
   */
  readonly projects: readonly ((n: number, silent: readonly string[]) => Iterable<JsonObject>)[];
  /** How often each project is created. Default: once. */
  readonly copies?: number;
  /** How many receivers never answer. Default: none. */
  readonly silent?: number;
  /** Prepares the requests that clients send over and over once the projects are there. */
  readonly flood?: Flood;
}

/** Sends a request of the attacker. */
export type Ask = (request: HttpRequest) => Promise<HttpAnswer>;

/** A project of the attacker. */
export interface Created {
  /** The request that created it. */
  readonly request: HttpRequest;
  /** The path of the project. */
  readonly path: string;
  readonly languageCodes: readonly string[];
}

/** Prepares a flood about a project. @returns a function that returns the request with a number */
export type Flood = (project: Created, ask: Ask) => Promise<(n: number) => HttpRequest>;

/** The instructions of an attacker's thread. */
export const Orders = z.object({
  url: z.string(),
  authorization: z.string(),
  /** The process id of the gateway. */
  pid: z.optional(z.number()),
  /** The title of the attack. */
  title: z.string(),
  /** How long to flood. */
  seconds: z.number(),
});
export type Orders = z.infer<typeof Orders>;

/** The report of an attacker's thread. */
export const Report = z.object({
  /** The number of created projects. */
  created: z.number(),
  /** How many larger variants were not accepted. */
  refused: z.number(),
  /** How many requests of the flood had which status; 0 if there was no answer. */
  answers: z.record(z.string(), z.number()),
  /** The processor time of the gateway for each request of the flood, in milliseconds; 0 without a flood. */
  cpuMs: z.number(),
});
export type Report = z.infer<typeof Report>;

/** The codes of all languages but English. */
export const CODES = allLanguages()
  .map(({ langCode }) => langCode)
  .filter((code) => !code.startsWith('en'));

/** Returns the first target languages of the catalogue, with the same fields in each. */
export function targets(count: number, fields: JsonObject = {}): JsonObject[] {
  return CODES.slice(0, count).map((targetLanguageCode) => ({ targetLanguageCode, ...fields }));
}

export const AUTOMATIC = { serviceAutomaticTranslation: true };

/** Returns a flood of one GET. */
export function get(suffix: string, headers: HttpRequest['headers'] = {}): Flood {
  return async ({ path }) => {
    const request: HttpRequest = { method: 'GET', path: path + suffix, headers };
    return () => request;
  };
}
