/** An upstream service decides itself which languages it translates. */
export const supportsPair = undefined;
