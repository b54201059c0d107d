import { type DecodedFile, decodeFile, fileError } from '../decode.ts';
import { NOT_IN_XML } from '../markup.ts';
import { isCategory } from '../plural-rules.ts';
import { childrenOf, escapeText, parseXml, spaceBefore, textOf, type XmlElement } from '../xml.ts';
import { formOf, type PluralForms } from './plural-spans.ts';
import { idOfNames, type Span, spanCodec } from './span-file.ts';

/** The plural forms in a `.stringsdict` file of iOS or macOS. The custom id of a text is its path, such as `files.count.one`. */
export const stringsdict = spanCodec((bytes) => {
  const file = decodeFile(bytes);
  const root = parseXml(file.text);
  const [dict] = childrenOf(root, 'dict');
  if (root.name !== 'plist' || !dict) throw fileError('syntax', 'The file is XML, but it has no property list.');
  return { file, spans: spansIn(dict, { path: [], notes: undefined }, file) };
});

/** The keys whose strings are no texts. */
const SYNTAX = ['NSStringFormatSpecTypeKey', 'NSStringFormatValueTypeKey'];
const PLURAL_RULE = 'NSStringPluralRuleType';
/** A reference to the plural forms of a variable. */
const VARIABLE = /%(?:\d+\$)?#@[^@]*@/g;

/** The keys around a text, and the comment before one of them. */
interface Keys {
  readonly path: readonly string[];
  readonly notes: string | undefined;
}

function spansIn(dict: XmlElement, { path, ...outer }: Keys, file: DecodedFile): Span[] {
  const elements = dict.children.filter((child) => typeof child !== 'string');
  const entries = elements.flatMap((value, index) => {
    const key = elements[index - 1];
    return key?.name === 'key' && value.name !== 'key' ? [{ key, value, name: textOf(key).trim() }] : [];
  });
  const idOf = (name: string) => idOfNames([...path, name], file, dict.start);
  const forms = formsIn(entries, file.text, idOf);
  return entries.flatMap(({ key, value, name }): Span[] => {
    const notes = key.comment ?? outer.notes;
    if (value.name === 'dict') return spansIn(value, { path: [...path, name], notes }, file);
    const content = textOf(value);
    const isText = value.name === 'string' && !SYNTAX.includes(name) && content.replace(VARIABLE, '').trim() !== '';
    if (!isText) return [];
    const customId = idOfNames([...path, name], file, value.start);
    const form = forms && isCategory(name) ? formOf(name, 'cardinal', forms) : undefined;
    return [{ start: value.contentStart, end: value.contentEnd, customId, content, notes, write, form }];
  });
}

/** A key of a dictionary with its value. */
interface Entry {
  readonly key: XmlElement;
  readonly value: XmlElement;
  readonly name: string;
}

/** Returns the plural forms of a dictionary. @returns `undefined` if it has other things */
function formsIn(entries: readonly Entry[], text: string, idOf: PluralForms['idOf']): PluralForms | undefined {
  const isPlural = entries.some(({ name, value }) => name === SYNTAX[0] && textOf(value).trim() === PLURAL_RULE);
  const last = entries.findLast(({ name }) => isCategory(name));
  if (!isPlural || !last) return undefined;
  const [before, between] = [spaceBefore(text, last.key.start), spaceBefore(text, last.value.start)];
  return {
    present: new Set(entries.map(({ name }) => name)),
    at: last.value.end,
    idOf,
    write: (category, written) => `${before}<key>${category}</key>${between}<string>${written}</string>`,
  };
}

function write(translation: string): string | undefined {
  return NOT_IN_XML.test(translation) ? undefined : escapeText(translation);
}
