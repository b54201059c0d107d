import { jsonSteps } from '../../../contract/json-steps.ts';
import { valueAt } from '../../../contract/pointer.ts';
import { endOfQuoted } from '../../../contract/quoted.ts';
import { positionsIn } from '../../../contract/text-position.ts';
import { decodeFile, fileError } from '../decode.ts';
import { parseJsonText } from '../json.ts';
import { idOfNames, type Span, spanCodec } from './span-file.ts';

/** The deepest nesting of a text. */
const MAX_DEPTH = 128;

/**
 * Texts in JSON, flat or nested: each string is a text, and its custom id is its path, such as `home.title`. Keys that
 * begin with `@` are metadata, as in ARB files: the description in `@title` has the notes of `title`.
 */
export const jsonTexts = spanCodec((bytes) => {
  const file = decodeFile(bytes);
  const value = parseJsonText(file.text);
  const spans: Span[] = [];
  for (const { kind, index, path } of jsonSteps(file.text)) {
    if (kind !== 'value' || file.text.charAt(index) !== '"') continue;
    const end = endOfQuoted(file.text, index) ?? file.text.length;
    const content: unknown = JSON.parse(file.text.slice(index, end));
    const keys = path().map(String);
    if (keys.length > MAX_DEPTH) {
      const { line, column } = positionsIn(file.text)(index);
      throw fileError('too-large', `The text is nested more than ${MAX_DEPTH} levels deep.`, line, column);
    }
    if (typeof content !== 'string' || content.trim() === '' || keys.some((key) => key.startsWith('@'))) continue;
    const customId = idOfNames(keys, file, index);
    spans.push({ start: index, end, customId, content, notes: descriptionOf(value, keys), write: JSON.stringify });
  }
  return { file, spans };
});

/** Returns the description of a text in an ARB file. @param keys the path of the text */
function descriptionOf(value: unknown, keys: readonly string[]): string | undefined {
  const description = valueAt(value, [...keys.slice(0, -1), `@${keys.at(-1)}`, 'description']);
  return typeof description === 'string' ? description.trim() || undefined : undefined;
}
