import { jsonSteps } from '../../../lib/contract/json-steps.ts';
import { fieldsOf, valueAt } from '../../../lib/contract/pointer.ts';
import { endOfQuoted } from '../../../lib/contract/quoted.ts';
import { positionsIn } from '../../../lib/contract/text-position.ts';
import { type DecodedFile, decodeFile, fileError } from '../decode.ts';
import { parseJsonText } from '../json.ts';
import { CATEGORIES, categoriesOf, isCategory, type PluralCategory } from '../plural-rules.ts';
import { spaceBefore } from '../xml.ts';
import { formOf, type PluralForm } from './plural-spans.ts';
import { idOfNames, type Span, spanCodec } from './span-file.ts';

/** The deepest nesting of a text. */
const MAX_DEPTH = 128;

/**
 * Texts in JSON, flat or nested: each string is a text, and its custom id is its path, such as `home.title`. Keys that
 * begin with `@` are metadata, as in ARB files: the description in `@title` has the notes of `title`. Keys of one object
 * such as `files_one` and `files_other` are plural forms, as in i18next.
 */
export const jsonTexts = spanCodec((bytes, { source }) => {
  const file = decodeFile(bytes);
  const value = parseJsonText(file.text);
  const spans: Span[] = [];
  // A source language without plural forms has only the form `other`.
  const isAlone = source !== undefined && categoriesOf(source)?.length === 1;
  let key = 0;
  for (const { kind, index, path } of jsonSteps(file.text)) {
    if (kind === 'key') key = index;
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
    const form = pluralFormOf(valueAt(value, keys.slice(0, -1)), keys, { file, key, index, end, isAlone });
    spans.push({
      start: index,
      end,
      customId,
      content,
      notes: descriptionOf(value, keys),
      write: JSON.stringify,
      form,
    });
  }
  return { file, spans };
});

/** Returns the description of a text in an ARB file. @param keys the path of the text */
function descriptionOf(value: unknown, keys: readonly string[]): string | undefined {
  const description = valueAt(value, [...keys.slice(0, -1), `@${keys.at(-1)}`, 'description']);
  return typeof description === 'string' ? description.trim() || undefined : undefined;
}

/** A key and its text in a file. */
interface Member {
  readonly file: DecodedFile;
  /** Where the key starts, and where its text starts and ends. */
  readonly key: number;
  readonly index: number;
  readonly end: number;
  /** Whether the form `other` may be the only one. */
  readonly isAlone: boolean;
}

/** A key of a plural form in i18next. */
const PLURAL_KEY = /^(?<base>.+?)(?<ordinal>_ordinal)?_(?<category>[a-z]{3,5})$/s;

/** Returns the plural form that a text is: its object has the form `other`, and another one if the language has one. */
function pluralFormOf(object: unknown, keys: readonly string[], member: Member): PluralForm | undefined {
  const { base = '', ordinal = '', category } = PLURAL_KEY.exec(keys.at(-1) ?? '')?.groups ?? {};
  const members = fieldsOf(object);
  if (!isCategory(category) || !members) return undefined;
  const keyOf = (name: PluralCategory) => `${base}${ordinal}_${name}`;
  const present = new Set(CATEGORIES.filter((name) => Object.hasOwn(members, keyOf(name))));
  const { file, key, index, end, isAlone } = member;
  if (!present.has('other') || (present.size === 1 && !isAlone)) return undefined;
  const between = file.text.slice(endOfQuoted(file.text, key), index);
  return formOf(category, ordinal === '' ? 'cardinal' : 'ordinal', {
    present,
    at: end,
    idOf: (name) => idOfNames([...keys.slice(0, -1), keyOf(name)], file, index),
    write: (name, written) => `,${spaceBefore(file.text, key)}${JSON.stringify(keyOf(name))}${between}${written}`,
  });
}
