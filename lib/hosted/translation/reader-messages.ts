import type { TextResult } from '../../service/translation-engine.ts';
import { eachInTurns } from '../../service/turn.ts';
import type { ContentReader, Prepared, SentenceRules, SentSentence, TranslatedSentences } from './content-reader.ts';

/** Contents to prepare or to assemble, as they are sent to the thread of a reader. */
export type ReaderRequest = { readonly rules: SentenceRules; readonly contents: readonly string[] } & (
  | { readonly kind: 'prepare' }
  | { readonly kind: 'assemble'; readonly counts: readonly number[]; readonly translations: PackedTexts }
);

/** Many texts in one, because a thread would copy them ten times as slowly one by one. */
interface PackedTexts {
  readonly joined: string;
  readonly lengths: Uint32Array;
}

/** The answer to contents to prepare. */
export interface PreparedAnswer {
  /** For each content the number of its sentences, or its result. */
  readonly contents: readonly (number | TextResult)[];
  readonly texts: PackedTexts;
  /** For each sentence whether it is HTML, and whether it is too long. */
  readonly flags: Uint8Array;
}

const [HTML, LONG] = [1, 2];

/** Makes the request to put contents together. */
export function assembleRequest(contents: readonly TranslatedSentences[], rules: SentenceRules): ReaderRequest {
  return {
    kind: 'assemble',
    rules,
    contents: contents.map(({ content }) => content),
    counts: contents.map(({ translations }) => translations.length),
    translations: packTexts(contents.flatMap(({ translations }) => translations)),
  };
}

/** Answers a request with a reader of this thread. */
export async function answerOf(
  reader: ContentReader,
  request: ReaderRequest,
): Promise<PreparedAnswer | readonly TextResult[]> {
  const { contents, rules } = request;
  if (request.kind === 'prepare') return preparedAnswer(await reader.prepare(contents, rules));
  const translations = await unpackTexts(request.translations);
  let end = 0;
  const translated = contents.map((content, index) => {
    const start = end;
    end += request.counts[index] ?? 0;
    return { content, translations: translations.slice(start, end) };
  });
  return reader.assemble(translated, rules);
}

function preparedAnswer(prepared: readonly Prepared[]): PreparedAnswer {
  const sentences = prepared.flatMap((one) => (one.kind === 'open' ? one.sentences : []));
  return {
    contents: prepared.map((one) => (one.kind === 'open' ? one.sentences.length : one)),
    texts: packTexts(sentences.map(({ text }) => text)),
    flags: Uint8Array.from(sentences, ({ format, isLong }) => (format === 'html' ? HTML : 0) | (isLong ? LONG : 0)),
  };
}

/** Reads the answer to contents to prepare. Other work has turns in between. */
export async function preparedIn({ contents, texts, flags }: PreparedAnswer): Promise<Prepared[]> {
  const sentences: SentSentence[] = [];
  await eachInTurns(await unpackTexts(texts), (text) => {
    const flag = flags[sentences.length] ?? 0;
    sentences.push({ text, format: flag & HTML ? 'html' : 'plain', isLong: (flag & LONG) !== 0 });
  });
  let end = 0;
  return contents.map((one) => {
    if (typeof one !== 'number') return one;
    const start = end;
    end += one;
    return { kind: 'open', sentences: sentences.slice(start, end) };
  });
}

function packTexts(texts: readonly string[]): PackedTexts {
  return { joined: texts.join(''), lengths: Uint32Array.from(texts, ({ length }) => length) };
}

async function unpackTexts({ joined, lengths }: PackedTexts): Promise<string[]> {
  const texts: string[] = [];
  let end = 0;
  await eachInTurns(lengths, (length) => {
    texts.push(joined.slice(end, end + length));
    end += length;
  });
  return texts;
}
