import type { ProblemType } from '../../../lib/contract/problems.ts';
import type { JsonObject } from '../../support/projects.ts';

/**
 * One assumption about API Gateway. Texts are Markdown. Paths and header values can contain three names: `$ID` is the id
 * of the project that the fact needs, `$X` is a unique text, and `$AUTH` is the company's credentials.
 */
export type Fact = AskedFact | FactByHand;

interface Known {
  readonly fact: string;
  /** How certain the fact is: docs, seen or assumed. */
  readonly sure: string;
  /** The part of Segue that depends on the fact. */
  readonly where: string;
}

/** A fact that anybody with a base URL and a company's key can check over HTTP. */
export interface AskedFact extends Known {
  readonly asks: readonly Exchange[];
  /** A project that must exist before the requests are sent. */
  readonly given?: Given;
  /**
   * The option that allows these requests. `--load` throttles the company for a moment; `--firewall` needs a firewall.
   */
  readonly needs?: Need;
  /**
   * How many copies of each request are sent at the same time. Some must get 200, and all others the expected answer.
   */
  readonly atOnce?: number;
}

/** A fact that requests cannot check: the page says what to do by hand, and what to expect. */
export interface FactByHand extends Known {
  readonly byHand: string;
}

export const NEEDS = ['load', 'firewall'] as const;
export type Need = (typeof NEEDS)[number];

export interface Given {
  /** A description of the project, for the page. */
  readonly words: string;
  /** Returns the fields of the project that matter for the fact. */
  fields(x: string): JsonObject;
}

/** One request, byte for byte, and the expected answer. */
export interface Exchange {
  /** The method. Default: GET. */
  readonly method?: string;
  /** The path after the base URL, as sent on the wire, in Latin-1. */
  readonly path: string;
  /** Whether the company's credentials are left out. */
  readonly anonymous?: true;
  /** Headers in their order. An empty value leaves out a default header. */
  readonly headers?: readonly (readonly [name: string, value: string | Made])[];
  readonly body?: string | Made;
  readonly sees: Sees;
  /** Whether this answer can be seen only on AWS. The gateway on this machine may answer differently. */
  readonly onlyOnAws?: true;
}

/** Bytes that are too many, or too unusual, to write in the page. */
export interface Made {
  /** The shell command that produces the bytes. */
  readonly command: string;
  bytes(): Buffer;
}

/** The expected answer. A member that is left out is not checked. */
export interface Sees {
  readonly status: number | '4xx';
  /** The expected problem type, with its page at the base URL. */
  readonly problem?: ProblemType;
  /** The expected headers, by name in lower case. `null` means that the header must be absent. */
  readonly headers?: Readonly<Record<string, RegExp | null>>;
  /** A pattern for the body's text, after gzip is undone. */
  readonly body?: RegExp;
}

/** A group of facts on the page, with its heading. */
export interface FactGroup {
  readonly heading: string;
  /** The title of the page's fourth column in this group. */
  readonly shows: string;
  readonly facts: readonly Fact[];
}
