/** An amount of money. */
export interface Price {
  readonly amount: number;
  /** The currency as in ISO 4217. */
  readonly currency: string;
}

/**
 * The setting with the price of a million characters at the translation engine. It is not in the file of the other
 * settings, because functions read that file at their start.
 */
export const TRANSLATION_PRICE = {
  variable: 'SEGUE_TRANSLATION_PRICE',
  rule: 'an amount and a currency with a space between them, such as "20 EUR" or "12.50 USD"',
  parse(text: string): Price | undefined {
    const [, amount, currency] = /^(\d{1,7}(?:\.\d{1,6})?) ([A-Z]{3})$/.exec(text) ?? [];
    return currency === undefined ? undefined : { amount: Number(amount), currency };
  },
};
