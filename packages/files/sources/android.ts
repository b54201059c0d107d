import { type DecodedFile, decodeFile, fileError } from '../decode.ts';
import { NOT_IN_XML, partsOf } from '../markup.ts';
import { isCategory } from '../plural-rules.ts';
import {
  attributeOf,
  childrenOf,
  escapeText,
  type Namespaces,
  namespacesIn,
  parseXml,
  spaceBefore,
  type XmlElement,
} from '../xml.ts';
import { formOf, type PluralForm, type PluralForms } from './plural-spans.ts';
import { idOfNames, type Span, spanCodec } from './span-file.ts';

/** The string resources of an Android app: `<string>`, and the items of `<string-array>` and `<plurals>`. */
export const android = spanCodec((bytes) => {
  const file = decodeFile(bytes);
  const root = parseXml(file.text);
  if (root.name !== 'resources') throw fileError('syntax', 'The file is XML, but it has no Android resources.');
  const namespaces = namespacesIn(root);
  const spans = root.children.flatMap((child) =>
    typeof child === 'string' || attributeOf(child, 'translatable')?.value === 'false'
      ? []
      : stringsIn(child, file).flatMap((string) => {
          const span = spanOf(string, file.text, namespaces);
          return span ? [{ ...span, form: string.form }] : [];
        }),
  );
  return { file, spans };
});

/** A string of a resource. */
interface AndroidString {
  readonly element: XmlElement;
  readonly customId: string;
  readonly notes: string | undefined;
  readonly form?: PluralForm | undefined;
}

/** Returns the strings of a resource: `title` of a string, `days.0` of an array, `files.one` of plurals. */
function stringsIn(resource: XmlElement, file: DecodedFile): AndroidString[] {
  const name = attributeOf(resource, 'name')?.value ?? '';
  if (resource.name === 'string') return [{ element: resource, customId: name, notes: resource.comment }];
  if (resource.name !== 'string-array' && resource.name !== 'plurals') return [];
  const items = childrenOf(resource, 'item');
  const idOf = (item: string) => idOfNames([name, item], file, resource.start);
  const forms = resource.name === 'plurals' ? formsIn(items, file.text, idOf) : undefined;
  return items.map((element, index) => {
    const quantity = attributeOf(element, 'quantity')?.value;
    const notes = [resource.comment, element.comment].filter(Boolean).join('\n') || undefined;
    const customId = idOfNames([name, quantity ?? String(index)], file, element.start);
    const form = forms && isCategory(quantity) ? formOf(quantity, 'cardinal', forms) : undefined;
    return { element, customId, notes, form };
  });
}

/** Returns the plural forms of a resource. More forms can stand after the last one. */
function formsIn(items: readonly XmlElement[], text: string, idOf: PluralForms['idOf']): PluralForms {
  const quantities = items.map((item) => attributeOf(item, 'quantity')?.value ?? '');
  const last = items.at(-1);
  const gap = last ? spaceBefore(text, last.start) : '';
  return {
    present: new Set(quantities),
    at: last?.end ?? 0,
    idOf,
    write: (category, written) => `${gap}<item quantity="${category}">${written}</item>`,
  };
}

/** Matches a reference to another resource, which is no text. */
const REFERENCE = /^[@?][\w.:+]+(?:\/[\w.]+)?$/;

function spanOf({ element, ...names }: AndroidString, text: string, namespaces: Namespaces): Span | undefined {
  const { contentStart: start, contentEnd: end, children } = element;
  const raw = trim(text.slice(start, end));
  if (raw === '' || REFERENCE.test(raw)) return undefined;
  if (children.every((child) => typeof child === 'string')) {
    const write = raw.startsWith('<![CDATA[') ? cdataOf : textOf;
    return { start, end, ...names, content: resolveEscapes(trim(children.join(''))), write };
  }
  const write = (translation: string) => markupOf(translation, namespaces);
  return { start, end, ...names, content: mapTexts(raw, resolveEscapes), write };
}

function textOf(translation: string): string | undefined {
  return NOT_IN_XML.test(translation) ? undefined : escapeText(withSpaces(escapeString(translation)));
}

function cdataOf(translation: string): string | undefined {
  const escaped = withSpaces(escapeString(translation));
  return NOT_IN_XML.test(escaped) || escaped.includes(']]>') ? undefined : `<![CDATA[${escaped}]]>`;
}

/** Characters of markup that stand for themselves, as in `A & B`. */
const NOT_MARKUP = /<|&(?!#?\w+;)/g;

/** Writes a translation with tags. @returns `undefined` if it is not well-formed XML */
function markupOf(translation: string, namespaces: Namespaces): string | undefined {
  const xml = withSpaces(mapTexts(translation, (text) => escapeString(text).replace(NOT_MARKUP, escapeText)));
  try {
    parseXml(`<resources>${xml}</resources>`, namespaces);
    return xml;
  } catch {
    return undefined;
  }
}

/** Changes the texts between tags. */
function mapTexts(xml: string, change: (text: string) => string): string {
  return partsOf(xml)
    .map((part) => (part.kind === 'text' ? change(part.text) : part.text))
    .join('');
}

/** Removes white space around a text. A no-break space is none. */
function trim(text: string): string {
  return text.replace(/^[ \t-\r]+|(?<![ \t-\r])[ \t-\r]+$/g, '');
}

const NAMED: Readonly<Record<string, string>> = { n: '\n', t: '\t' };

/** Resolves the escapes of Android. Outside double quotes, white space becomes one space. */
function resolveEscapes(text: string): string {
  let isQuoted = false;
  return text.replace(
    /\\u([\da-f]{4})|\\(.)|"|[ \t-\r]+/gis,
    (found, code: string | undefined, escaped: string | undefined) => {
      if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
      if (escaped !== undefined) return NAMED[escaped] ?? escaped;
      if (found !== '"') return isQuoted ? found : ' ';
      isQuoted = !isQuoted;
      return '';
    },
  );
}

const ESCAPED: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t' };

function escapeString(text: string): string {
  return text
    .replace(/[\\'"]/g, '\\$&')
    .replace(/[\t-\r]/g, (space) => ESCAPED[space] ?? unicodeEscape(space))
    .replace(/ (?= )/g, unicodeEscape);
}

/** Escapes what Android would take for white space around a text, or for a reference to another resource. */
function withSpaces(escaped: string): string {
  return escaped.replace(/^ | $/g, unicodeEscape).replace(/^[@?]/, '\\$&');
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
