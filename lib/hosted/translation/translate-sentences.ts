import { setTimeout } from 'node:timers/promises';
import type { Deadline, Timer } from '../../service/deadline.ts';
import {
  type CharacterBudget,
  EngineFailure,
  type TextResult,
  type TranslationEngine,
} from '../../service/translation-engine.ts';
import { callEngine } from './call-engine.ts';
import type { EncodedSentence } from './sentence-codec.ts';

/** The maximum number of additional calls that look for the text for which an engine refuses a batch. */
const MAX_DIVISIONS = 20;

/** The number of refused texts after which an engine that answered nothing is not asked again. */
const MAX_REFUSED = 5;

const REJECTED: TextResult = { kind: 'failed', reason: 'rejected' };

/** The languages of sentences, and when to stop sending them. */
export interface SentencesRequest {
  /** A code of Segue's language catalogue. */
  readonly source: string;
  readonly target: string;
  readonly deadline: Deadline;
  /** Stops the work early. What has been translated is returned. */
  readonly signal?: AbortSignal | undefined;
  /** The timer of time limits. Default: a real timer. */
  readonly timer?: Timer | undefined;
  /** The characters that may be sent. By default there is no limit. */
  readonly budget?: CharacterBudget | undefined;
}

interface Outcome {
  /** The number of characters that the engine received, and may have charged for. */
  readonly usedCharacters: number;
  readonly failure?: EngineFailure | undefined;
}

/**
 * Sends batches of sentences, several at the same time. After a failure, no more batches are sent.
 * @throws {Problem} if the store fails to reserve the characters
 */
export async function translateSentences(
  engine: TranslationEngine,
  { source, target, deadline, signal, timer = setTimeout, budget }: SentencesRequest,
  queue: EncodedSentence[][],
  found: (sent: EncodedSentence, result: TextResult) => void,
): Promise<Outcome> {
  const refused: EncodedSentence[] = [];
  let refusal: EngineFailure | undefined;
  let answers = 0;
  let divisions = 0;
  let usedCharacters = 0;
  let failure: EngineFailure | undefined;

  const reserve: CharacterBudget['reserve'] = async (characters) => {
    const giveBack = await budget?.reserve(characters);
    usedCharacters += characters;
    return () => {
      usedCharacters -= characters;
      giveBack?.();
    };
  };

  function divide(batch: EncodedSentence[]): void {
    const middle = Math.ceil(batch.length / 2);
    queue.unshift(batch.slice(0, middle), batch.slice(middle));
  }

  async function send(batch: EncodedSentence[]): Promise<void> {
    const texts = batch.map(({ text }) => text);
    const format = batch[0]?.format ?? 'plain';
    try {
      const results = await callEngine(engine, { source, target, format, texts }, { deadline, signal, timer, reserve });
      answers += 1;
      for (const [index, sent] of batch.entries()) found(sent, results[index] ?? REJECTED);
    } catch (error) {
      if (!(error instanceof EngineFailure)) throw error;
      // The rest of the day may have room for a part of the texts.
      if (error.code === 'limited' && batch.length > 1) divide(batch);
      else if (error.code !== 'rejected' && error.code !== 'invalid-answer') failure ??= error;
      else if (batch.length > 1 && divisions < MAX_DIVISIONS) {
        // One of the texts may be the cause, so each half is sent alone.
        divisions += 1;
        divide(batch);
      } else if (batch.length > 1) failure ??= answers > 0 ? new EngineFailure('invalid-answer') : error;
      else {
        refused.push(...batch);
        refusal = error;
        if (answers === 0 && refused.length >= MAX_REFUSED) failure ??= error;
      }
    }
  }

  async function sendNext(): Promise<void> {
    try {
      for (let batch = queue.shift(); batch; batch = failure ? undefined : queue.shift()) await send(batch);
    } catch (error) {
      failure ??= new EngineFailure('aborted');
      throw error;
    }
  }

  const ends = await Promise.allSettled(Array.from({ length: engine.limits.concurrentCalls }, sendNext));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  // An engine that answers other texts is not broken: it cannot handle these.
  const isOfTexts = answers > 0 || (refusal?.code === 'rejected' && refused.length < MAX_REFUSED);
  if (isOfTexts) for (const sent of refused) found(sent, REJECTED);
  else failure ??= refusal;
  return { usedCharacters, failure };
}
