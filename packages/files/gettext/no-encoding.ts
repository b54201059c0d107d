/**
 * Takes the place of the package `encoding`, which `gettext-parser` imports, in the bundle of `segue-client`: 600 KB of
 * character tables. They are never used, because files are decoded before they are parsed, and written in UTF-8.
 */
export default {
  convert(): never {
    throw new TypeError('Decode the text before you parse it');
  },
};
