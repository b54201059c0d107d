/**
 * Control characters, escapes, format characters such as those that change the direction of text, line separators, and
 * halves of surrogate pairs. In a terminal they run commands, or show something else than what is there.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** A text from outside, on one line, with everything a terminal would not show as it is written as `\u001b`. */
export function visible(text: string): string {
  return text.replace(INVISIBLE, escaped);
}

/** The same for a text of several lines, such as JSON: its line feeds stay. In JSON the escapes mean the same characters. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}

function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');
}
