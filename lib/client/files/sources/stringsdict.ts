import { type DecodedFile, decodeFile, fileError } from '../decode.ts';
import { NOT_IN_XML } from '../markup.ts';
import { childrenOf, escapeText, parseXml, textOf, type XmlElement } from '../xml.ts';
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
/** A reference to the plural forms of a variable. */
const VARIABLE = /%(?:\d+\$)?#@[^@]*@/g;

/** The keys around a text, and the comment before one of them. */
interface Keys {
  readonly path: readonly string[];
  readonly notes: string | undefined;
}

function spansIn(dict: XmlElement, { path, ...outer }: Keys, file: DecodedFile): Span[] {
  const elements = dict.children.filter((child) => typeof child !== 'string');
  return elements.flatMap((value, index): Span[] => {
    const key = elements[index - 1];
    if (key?.name !== 'key' || value.name === 'key') return [];
    const name = textOf(key).trim();
    const notes = key.comment ?? outer.notes;
    if (value.name === 'dict') return spansIn(value, { path: [...path, name], notes }, file);
    const content = textOf(value);
    const isText = value.name === 'string' && !SYNTAX.includes(name) && content.replace(VARIABLE, '').trim() !== '';
    if (!isText) return [];
    const customId = idOfNames([...path, name], file, value.start);
    return [{ start: value.contentStart, end: value.contentEnd, customId, content, notes, write }];
  });
}

function write(translation: string): string | undefined {
  return NOT_IN_XML.test(translation) ? undefined : escapeText(translation);
}
