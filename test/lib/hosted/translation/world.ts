import { setTimeout } from 'node:timers/promises';
import { contentReader } from '../../../../lib/hosted/translation/content-reader.ts';
import {
  type SegmentResult,
  type SegmentsRequest,
  translateSegments,
} from '../../../../lib/hosted/translation/translate-segments.ts';
import type {
  EngineLimits,
  PlaceholderElement,
  TextResult,
  TranslationBatch,
  TranslationEngine,
} from '../../../../lib/service/translation-engine.ts';

/** A deadline that no test reaches. */
export const ENOUGH = { remainingMs: () => 86_400_000 };
/** A call that no test ends early. */
export const CALL = { deadline: ENOUGH, signal: new AbortController().signal };

export const PLACEHOLDER_ELEMENTS: readonly PlaceholderElement[] = ['empty', 'no-translate', 'code'];

/** An engine of a test, and the batches that it received. */
export interface FakeEngine extends TranslationEngine {
  readonly received: TranslationBatch[];
}

export interface FakeOptions {
  readonly limits?: Partial<EngineLimits>;
  readonly placeholderElement?: PlaceholderElement;
}

/** Returns an engine that answers each batch with the results of `act`. */
export function fakeEngine(
  act: (batch: TranslationBatch) => Promise<readonly TextResult[]> | readonly TextResult[],
  { limits, placeholderElement = 'empty' }: FakeOptions = {},
): FakeEngine {
  const received: TranslationBatch[] = [];
  return {
    name: 'fake',
    received,
    limits: {
      texts: 50,
      textBytes: { plain: 1_000_000, html: 1_000_000 },
      batchBytes: 4_000_000,
      concurrentCalls: 1,
      callMs: 86_400_000,
      ...limits,
    },
    placeholderElement,
    supports: async () => true,
    async translate(batch) {
      received.push(batch);
      return act(batch);
    },
  };
}

/** Returns an engine that changes each text in the same way. */
export function mappingEngine(change: (text: string) => string, options?: FakeOptions): FakeEngine {
  return fakeEngine(({ texts }) => texts.map((text) => ({ kind: 'translated', text: change(text) })), options);
}

/** Translates texts from English to German. */
export function translate(engine: TranslationEngine, texts: readonly string[], options: Partial<SegmentsRequest> = {}) {
  return translateSegments(engine, contentReader(), {
    source: 'en',
    target: 'de',
    texts,
    deadline: ENOUGH,
    timer: setTimeout,
    ...options,
  });
}

/** Translates one text, and returns the translation or the reason why there is none. */
export async function translateOne(engine: TranslationEngine, text: string): Promise<string> {
  const { results } = await translate(engine, [text]);
  return shown(results[0]);
}

/** Returns the translation in a result, or what it says in place of one. */
export function shown(result: SegmentResult | undefined): string {
  if (result?.kind === 'translated') return result.text;
  return result?.kind === 'failed' ? result.reason : 'pending';
}
