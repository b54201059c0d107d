import type { ProblemType } from '../../../lib/contract/problems.ts';
import type { JsonObject } from '../../support/projects.ts';

/**
 * One thing that is taken for true of API Gateway. Texts are Markdown. In paths and header values `$ID` is the id of the
 * project that the fact is given, `$X` a text that nothing else is called, and `$AUTH` the company's credentials.
 */
export type Fact = AskedFact | FactByHand;

interface Known {
  readonly fact: string;
  /** How sure it is: docs, seen or assumed. */
  readonly sure: string;
  /** Where it matters in Segue. */
  readonly where: string;
}

/** A fact that shows in answers to whoever has a base URL and a company's key. */
export interface AskedFact extends Known {
  readonly asks: readonly Exchange[];
  /** A project that has to be there before. */
  readonly given?: Given;
  /** Asked only of who is told so: `--load` throttles the company for a moment, `--firewall` needs one before the API. */
  readonly needs?: Need;
  /** Each request is sent so many times at once: some of the answers must be 200, others as they are said, none else. */
  readonly atOnce?: number;
}

/** A fact that does not show from outside: what to do, and what to see then. */
export interface FactByHand extends Known {
  readonly byHand: string;
}

export const NEEDS = ['load', 'firewall'] as const;
export type Need = (typeof NEEDS)[number];

export interface Given {
  /** The project in words. */
  readonly words: string;
  /** Its fields that matter. */
  fields(x: string): JsonObject;
}

/** One request, byte for byte, and what its answer must be. */
export interface Exchange {
  /** GET, where none is said. */
  readonly method?: string;
  /** Behind the base URL, as it goes on the wire, in Latin-1. */
  readonly path: string;
  /** Sent without the company's credentials. */
  readonly anonymous?: true;
  /** In their order; one with an empty value is left out where it would be sent otherwise. */
  readonly headers?: readonly (readonly [name: string, value: string | Made])[];
  readonly body?: string | Made;
  readonly sees: Sees;
  /** The gateway on this machine answers otherwise, or only where it is set up so. */
  readonly onlyOnAws?: true;
}

/** Bytes too many or too odd to be written down. */
export interface Made {
  /** The shell's command that makes them. */
  readonly command: string;
  bytes(): Buffer;
}

/** What an answer must be; what is not named may be anything. */
export interface Sees {
  readonly status: number | '4xx';
  /** The problem, with its page at the base URL. */
  readonly problem?: ProblemType;
  /** By name in lower case; null is for one that must not be there. */
  readonly headers?: Readonly<Record<string, RegExp | null>>;
  /** The text, with gzip undone. */
  readonly body?: RegExp;
}

/** A heading of the page, and the facts below it. */
export interface FactGroup {
  readonly heading: string;
  /** Of the page's fourth column. */
  readonly shows: string;
  readonly facts: readonly Fact[];
}
