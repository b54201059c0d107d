import type { QuotedTranslation } from '../client/index.ts';
import { count } from './values.ts';

/** Returns a number of things as text, such as `2 words`. */
export const counted = (value: number, one: string) => `${count(value)} ${one}${value === 1 ? '' : 's'}`;

/**
 * Says what the engine is going to translate, and the price.
 * @param quoted null if Segue has no engine
 * @param isAsked whether a language asks for automatic translation
 */
export function quotedText(quoted: QuotedTranslation | null, isAsked: boolean): string {
  if (!isAsked) return 'Not asked for, so it costs nothing.';
  if (!quoted) return 'Segue has no engine of its own, and knows no price.';
  const { engine, characters, cost } = quoted;
  if (characters === 0) return 'Nothing to translate now, so it costs nothing.';
  const isTest = engine === 'pseudo';
  const price = cost && `${cost.amount.toLocaleString('en', { maximumFractionDigits: 6 })} ${cost.currency}`;
  return [
    `${counted(characters, 'character')}${isTest ? ' with a test engine' : ''}${price ? `, ${price}` : ''}.`,
    ...(isTest ? ['It translates nothing: it only adds accents and brackets.'] : price ? [] : ['No price is set.']),
  ].join(' ');
}

/** Shows what the engine is going to translate, and the price. */
export function AutomaticQuote(quoted: QuotedTranslation) {
  return <p>Automatic translation: {quotedText(quoted, true)}</p>;
}
