/* Takes the place of the built-ins of Node that `gettext-parser` imports. The console parses and writes whole texts. */

/** Encodes what the compiler wrote, in UTF-8. */
export const Buffer = {
  from: (text: string): Uint8Array => new TextEncoder().encode(text),
};

/** The base of the parser of streams, which nobody opens. */
export class Transform {}

/** `node:util`, of which `gettext-parser` calls this when it is loaded. */
export default {
  inherits(): void {},
};
