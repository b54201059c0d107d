import type { Deadline } from './deadline.ts';

/** What the texts of a batch are: plain text, or fragments of HTML. */
export type TextFormat = 'plain' | 'html';

/** The texts for one call of an engine. All have the same languages and the same format. */
export interface TranslationBatch {
  /** A code of Segue's language catalogue, such as `en-GB`. */
  readonly source: string;
  readonly target: string;
  readonly format: TextFormat;
  readonly texts: readonly string[];
}

/** How long a call of an engine may take. */
export interface EngineCall {
  readonly deadline: Deadline;
  /** Aborts the call. The engine then stops as soon as it can. */
  readonly signal: AbortSignal;
}

/**
 * Why one text has no translation, while others of its batch may have one:
 *
 * - `markup-lost`: the tags or entities of the translation differ from those of the text
 * - `placeholder-lost`: the placeholders of the translation differ from those of the text
 * - `message-unreadable`: the text looks like an ICU message, but cannot be parsed as one
 * - `too-complex`: the text has too many sentences, tags and placeholders
 * - `too-long`: the text has a part that is longer than the engine's limit
 * - `unsupported-pair`: the engine does not translate between these languages
 * - `rejected`: the engine does not accept the text
 * - `implausible`: the translation is empty, or far longer than the text
 */
export const TEXT_FAILURE_REASONS = [
  'markup-lost',
  'placeholder-lost',
  'message-unreadable',
  'too-complex',
  'too-long',
  'unsupported-pair',
  'rejected',
  'implausible',
] as const;
export type TextFailureReason = (typeof TEXT_FAILURE_REASONS)[number];

/** The result for one text. */
export type TextResult =
  | { readonly kind: 'translated'; readonly text: string }
  | {
      readonly kind: 'failed';
      readonly reason: TextFailureReason;
      /** The beginning of a tag or placeholder that the translation lacks, if it lacks one. */
      readonly lost?: string;
    };

/** The limits of one call, and of the calls at the same time. Bytes are UTF-8. */
export interface EngineLimits {
  /** The maximum number of texts in a batch. */
  readonly texts: number;
  /** The maximum length of one text, in bytes. */
  readonly textBytes: Readonly<Record<TextFormat, number>>;
  /** The maximum length of all texts of a batch, in bytes. */
  readonly batchBytes: number;
  /** The maximum number of calls at the same time. */
  readonly concurrentCalls: number;
  /** The time limit of one call, in milliseconds. */
  readonly callMs: number;
}

/**
 * How a placeholder is sent in HTML, so that the engine leaves it alone:
 *
 * - `empty`: as an empty element, `<x id="1"/>`
 * - `no-translate`: in an element with the attribute `translate="no"`
 * - `code`: in an element `code`
 */
export type PlaceholderElement = 'empty' | 'no-translate' | 'code';

/** A machine translation engine. */
export interface TranslationEngine {
  /** The engine's name in settings and logs. */
  readonly name: string;
  readonly limits: EngineLimits;
  readonly placeholderElement: PlaceholderElement;
  /**
   * Whether the engine translates from one language to another. Both are codes of Segue's catalogue.
   * @throws {EngineFailure} if the engine has to be asked, and does not answer
   */
  supports(source: string, target: string, call: EngineCall): Promise<boolean>;
  /**
   * Translates a batch that is within the limits.
   * @returns one result for each text, in the same order
   * @throws {EngineFailure} if the whole batch failed
   */
  translate(batch: TranslationBatch, call: EngineCall): Promise<readonly TextResult[]>;
}

/**
 * Why a whole batch failed, and whether a later attempt can succeed without a change of settings. An operator can mend
 * the failures with `needsOperator`. A single text may cause each of the others.
 *
 * - `busy`: the engine says to wait (429 or 503)
 * - `unreachable`: there was no answer, or only a part of one
 * - `failed`: the engine says that it failed
 * - `timed-out`: there was no answer in time
 * - `aborted`: the caller gave up
 * - `invalid-answer`: the answer cannot be read, or does not fit the batch
 * - `rejected`: the engine accepts none of several texts
 * - `unauthorized`: the engine does not accept the credentials
 * - `quota-exceeded`: the account has used up what it may translate
 * - `unsupported-pair`: the engine does not translate between these languages
 * - `no-engine`: the operator has set up no engine
 * - `limited`: the company has used up its characters of the day, so the engine is not called
 * - `over-limit`: a text has more characters than the company may have translated in a day
 * - `interrupted`: the process died in several runs of the job, one after the other
 */
export const ENGINE_FAILURES = {
  busy: { isRetryable: true, needsOperator: true },
  unreachable: { isRetryable: true, needsOperator: true },
  failed: { isRetryable: true, needsOperator: false },
  'timed-out': { isRetryable: true, needsOperator: false },
  aborted: { isRetryable: true, needsOperator: false },
  'invalid-answer': { isRetryable: true, needsOperator: false },
  rejected: { isRetryable: false, needsOperator: true },
  unauthorized: { isRetryable: false, needsOperator: true },
  'quota-exceeded': { isRetryable: false, needsOperator: true },
  'unsupported-pair': { isRetryable: false, needsOperator: false },
  'no-engine': { isRetryable: false, needsOperator: false },
  limited: { isRetryable: true, needsOperator: false },
  'over-limit': { isRetryable: true, needsOperator: false },
  interrupted: { isRetryable: false, needsOperator: true },
} as const satisfies Record<string, { readonly isRetryable: boolean; readonly needsOperator: boolean }>;
export type EngineFailureCode = keyof typeof ENGINE_FAILURES;

/** How long to wait after a retryable failure, if the engine does not say, in milliseconds. */
const DEFAULT_RETRY_AFTER_MS = 5_000;

/** The failure of a whole batch. It contains no text, because engines quote texts in their messages. */
export class EngineFailure extends Error {
  override readonly name = 'EngineFailure';
  readonly code: EngineFailureCode;
  /** How long to wait before the next call, in milliseconds; `undefined` if waiting does not help. */
  readonly retryAfterMs: number | undefined;

  constructor(code: EngineFailureCode, retryAfterMs: number = DEFAULT_RETRY_AFTER_MS) {
    super(`The translation engine failed: ${code}`);
    this.code = code;
    this.retryAfterMs = ENGINE_FAILURES[code].isRetryable ? retryAfterMs : undefined;
  }
}

/** The characters that an engine may translate for a company. */
export interface CharacterBudget {
  /** The most characters of a day. A text with more of them is not translated. */
  readonly perDay: number;
  /**
   * Reserves the characters of a call before the call is made.
   * @returns a function that gives them back, for a call that the engine certainly does not charge
   * @throws {EngineFailure} `limited` if the call must not be made
   */
  reserve(characters: number): Promise<() => void>;
}

/** Counts the characters of texts as engines charge for them: a surrogate pair is one. */
export function characterCount(texts: readonly string[]): number {
  return texts.reduce(
    (sum, text) => sum + text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0),
    0,
  );
}
