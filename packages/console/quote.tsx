import type { QuotedTranslation } from '../client/index.ts';
import { count } from './values.ts';

/** Returns a number of things as text, such as `2 words`. */
export const counted = (value: number, one: string) => `${count(value)} ${one}${value === 1 ? '' : 's'}`;

/** Says what the engine is going to translate, and the price. */
export function quotedText({ characters, cost }: QuotedTranslation): string {
  const price = cost ? `, ${cost.amount.toLocaleString('en', { maximumFractionDigits: 6 })} ${cost.currency}` : '';
  return counted(characters, 'character') + price;
}

/** Shows what the engine is going to translate, and the price. */
export function AutomaticQuote(quoted: QuotedTranslation) {
  return <p>Automatic translation: {quotedText(quoted)}.</p>;
}
