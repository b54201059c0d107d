/** An upstream service decides itself which languages it translates. */
export const supportsPair = undefined;

/** An upstream service does not say what it translates automatically, nor its price. */
export const quotedEngine = undefined;
