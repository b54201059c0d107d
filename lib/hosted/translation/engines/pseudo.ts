import { splitText, type TextPart } from '../../../content/split-text.ts';
import type { TextFormat, TextResult, TranslationEngine } from '../../../service/translation-engine.ts';
import { nextTurn } from '../../../service/turn.ts';

const PLAIN = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ACCENTED = 'ÅƁÇÐÉƑĜĤÎĴĶĻṀÑÖÞǪŔŠŢÛṼŴẊÝŽåƀçðéƒĝĥîĵķļɱñöþǫŕšţûṽŵẋýž';

const ACCENTS: ReadonlyMap<string, string> = new Map(
  Array.from(PLAIN, (letter, index) => [letter, ACCENTED[index] ?? letter]),
);

/** What stays as it is in HTML: the tags and the character references. */
const MARKUP = /<[^<>]*>|&[^&;\s]*;/g;
/** What is looked at in a text: letters, and in HTML what stays as it is. */
const LOOKED_AT: Readonly<Record<TextFormat, RegExp>> = {
  plain: /[A-Za-z]/g,
  html: new RegExp(`${MARKUP.source}|[A-Za-z]`, 'g'),
};

/**
 * The pseudo engine. It is not a translation: it writes English letters with accents and puts brackets around each
 * sentence, so that people see which texts are translated, and where there is too little room. It needs no network.
 */
export const pseudoEngine: TranslationEngine = {
  name: 'pseudo',
  limits: {
    texts: 1_000,
    textBytes: { plain: 8_388_608, html: 8_388_608 },
    batchBytes: 8_388_608,
    concurrentCalls: 1,
    callMs: 30_000,
  },
  placeholderElement: 'empty',
  supports: async () => true,
  async translate({ format, texts }) {
    const results: TextResult[] = [];
    let length = 0;
    for (const text of texts) {
      let translation = '[';
      for (const slice of slicesOf(text, format)) {
        translation += slice.isMatch ? slice.text : accented(slice.text, format);
        length += slice.text.length;
        if (length < SLICE_LENGTH) continue;
        await nextTurn();
        length = 0;
      }
      results.push({ kind: 'translated', text: `${translation}…]` });
    }
    return results;
  },
};

/** The length of texts after which other work has a turn, in UTF-16 code units. They take some milliseconds. */
const SLICE_LENGTH = 16_384;

/** Divides a long text into what stays as it is and words. No part is longer than a slice. */
function* slicesOf(text: string, format: TextFormat): Generator<TextPart, void> {
  if (text.length <= SLICE_LENGTH) {
    yield { text, isMatch: false };
    return;
  }
  for (const { text: part, isMatch } of format === 'html' ? splitText(text, MARKUP) : [{ text, isMatch: false }]) {
    for (let at = 0; at < part.length; at += SLICE_LENGTH) yield { text: part.slice(at, at + SLICE_LENGTH), isMatch };
  }
}

function accented(text: string, format: TextFormat): string {
  return text.replace(LOOKED_AT[format], (found) => ACCENTS.get(found) ?? found);
}
