/** ASCII, full-width forms, and scripts in which a sentence goes on without a space after an address. */
const OTHER =
  /[\0-\x7f\uff00-\uffef\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Hang}\p{scx=Yi}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}]/u;

/** A character of an address: in ASCII, all but white space, quotes, tags and braces, and beyond it letters and digits. */
const CHARACTER = `(?:[!#-&(-;=?-z|~]|(?!${OTHER.source})[\\p{L}\\p{M}\\p{N}])`;

/**
 * Matches an address of the web in a text, without the punctuation of the sentence after it. Where a text in Japanese,
 * Korean, Thai or alike goes on without a space, the address ends.
 */
export const WEB_ADDRESS = new RegExp(`https?://${CHARACTER}+(?<![.,;:!?)\\]*\`])`, 'u');
