import type { TextFormat, TranslationEngine } from '../../../service/translation-engine.ts';

const PLAIN = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ACCENTED = 'ÅƁÇÐÉƑĜĤÎĴĶĻṀÑÖÞǪŔŠŢÛṼŴẊÝŽåƀçðéƒĝĥîĵķļɱñöþǫŕšţûṽŵẋýž';

const ACCENTS: ReadonlyMap<string, string> = new Map(
  Array.from(PLAIN, (letter, index) => [letter, ACCENTED[index] ?? letter]),
);

/** What stays as it is: in HTML, the tags and the character references. */
const KEPT: Readonly<Record<TextFormat, RegExp>> = { plain: /(?!)/, html: /(<[^>]*>|&[^;\s]*;)/ };

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
  translate: async ({ format, texts }) => texts.map((text) => ({ kind: 'translated', text: pseudo(text, format) })),
};

function pseudo(text: string, format: TextFormat): string {
  const parts = text.split(KEPT[format]).map((part, index) => (index % 2 === 1 ? part : accented(part)));
  return `[${parts.join('')}…]`;
}

function accented(text: string): string {
  return text.replace(/[A-Za-z]/g, (letter) => ACCENTS.get(letter) ?? letter);
}
