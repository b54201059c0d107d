import { SaxesParser } from 'saxes';
import { fileError } from './decode.ts';
import type { Edit } from './edits.ts';
import { EACH_NOT_IN_XML } from './markup.ts';

/** An element of an XML document, with its position in the text. All positions are indices of the text. */
export interface XmlElement {
  /** The name without its prefix. */
  readonly name: string;
  readonly namespace: string;
  readonly attributes: readonly XmlAttribute[];
  /** Elements and texts. References and CDATA sections are resolved; comments and instructions are left out. */
  readonly children: (XmlElement | string)[];
  /** The comments right before the element. */
  readonly comment: string | undefined;
  /** The position of the `<` of the start tag. */
  readonly start: number;
  /** The position after the start tag. */
  readonly contentStart: number;
  readonly isSelfClosing: boolean;
  /** The position of the end tag, and the position after it. Both equal `contentStart` if the element has none. */
  contentEnd: number;
  end: number;
}

/** An attribute of an element. */
export interface XmlAttribute {
  /** The name without its prefix. */
  readonly name: string;
  /** The namespace; empty for an attribute without a prefix. */
  readonly namespace: string;
  readonly value: string;
  /** The position of the name, of the text between the quotes, and after the last quote. */
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
}

/** The namespaces of prefixes. */
export type Namespaces = ReadonlyMap<string, string>;

/** The deepest nesting of elements that is read. */
const MAX_DEPTH = 128;
/** The most white space that is looked at before or after something, in characters. */
const MAX_GAP = 200;

/**
 * Parses an XML document into its elements, with the position of each in the text. To change the document, edit its
 * text at these positions: then nothing else can change, be it comments, white space or the order of attributes.
 *
 * No entities are read but the five of XML, so that no file can make Segue open another file or expand without end.
 * @param namespaces the namespaces that are declared around the document
 * @throws {TranslationFileError} for the first fault: a document that is not well-formed, is nested too deeply, or
 * declares entities
 */
export function parseXml(text: string, namespaces?: Namespaces): XmlElement {
  const parser = new SaxesParser({
    xmlns: true,
    position: true,
    resolvePrefix: (prefix: string) => namespaces?.get(prefix),
  });
  const open: XmlElement[] = [];
  let root: XmlElement | undefined;
  let attributes: Pick<XmlAttribute, 'start' | 'valueStart' | 'end'>[] = [];
  let start = 0;
  let comment: XmlComment | undefined;

  parser.on('error', ({ message }) => {
    throw fileError('syntax', `The file is not well-formed XML: ${detailOf(message)}.`, parser.line, parser.column + 1);
  });
  parser.on('doctype', (doctype) => {
    if (!doctype.includes('[')) return;
    const detail = 'The file declares entities or elements of its own, which Segue does not read.';
    throw fileError('not-allowed', detail, parser.line, parser.column + 1);
  });
  parser.on('comment', (found) => {
    const at = text.lastIndexOf('<!--', parser.position - '<!----'.length);
    const above = comment && isBefore(comment, at, text) ? `${comment.content}\n` : '';
    comment = { content: above + found.trim(), start: at, end: parser.position + '>'.length };
  });
  parser.on('opentagstart', () => {
    attributes = [];
    start = text.lastIndexOf('<', parser.position - 1);
    if (open.length >= MAX_DEPTH) {
      throw fileError('too-large', `The file is nested more than ${MAX_DEPTH} levels deep.`, parser.line);
    }
  });
  parser.on('attribute', ({ name }) => {
    const end = parser.position;
    const valueStart = text.lastIndexOf(text.charAt(end - 1), end - 2) + 1;
    let nameEnd = valueStart - 1;
    while (/[\s=]/.test(text.charAt(nameEnd - 1))) nameEnd--;
    attributes.push({ start: nameEnd - name.length, valueStart, end });
  });
  parser.on('opentag', ({ local, uri, attributes: values, isSelfClosing }) => {
    const contentStart = parser.position;
    const element: XmlElement = {
      name: local,
      namespace: uri,
      attributes: Object.values(values).map((attribute, index) => ({
        name: attribute.local,
        namespace: attribute.uri,
        value: attribute.value,
        ...(attributes[index] ?? { start: 0, valueStart: 0, end: 0 }),
      })),
      children: [],
      comment: comment && isBefore(comment, start, text) ? comment.content.trim() || undefined : undefined,
      start,
      contentStart,
      isSelfClosing,
      contentEnd: contentStart,
      end: contentStart,
    };
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  });
  parser.on('closetag', () => {
    const element = open.pop();
    if (!element || element.isSelfClosing) return;
    element.end = parser.position;
    element.contentEnd = text.lastIndexOf('<', parser.position - 1);
  });
  const addText = (characters: string) => void open.at(-1)?.children.push(characters);
  parser.on('text', addText);
  parser.on('cdata', addText);

  parser.write(text).close();
  if (!root) throw fileError('syntax', 'The file has no XML element.');
  return root;
}

/** A comment, with its position in the text. */
interface XmlComment {
  readonly content: string;
  readonly start: number;
  readonly end: number;
}

/** Whether a comment belongs to the tag or comment that starts after it: on the same line, or on its own line right above. */
function isBefore({ start, end }: XmlComment, tag: number, text: string): boolean {
  const lines = /^[ \t]*(\r\n?|\n)?[ \t]*$/.exec(text.slice(end, Math.min(tag, end + MAX_GAP)));
  if (!lines || tag - end > MAX_GAP) return false;
  return lines[1] === undefined || /(?:^|[\r\n])[ \t]*$/.test(text.slice(Math.max(0, start - MAX_GAP), start));
}

/** Returns the white space before an index. */
export function spaceBefore(text: string, index: number): string {
  return /\s*$/.exec(text.slice(Math.max(0, index - MAX_GAP), index))?.[0] ?? '';
}

/** Returns the message of the parser without its position, which comes first. */
function detailOf(message: string): string {
  return message.replace(/^(?:[^:]*:)?\d+:\d+: /, '').replace(/\.$/, '');
}

/** Returns the child elements with a name, in the namespace of their parent. */
export function childrenOf(element: XmlElement, name: string): XmlElement[] {
  return element.children.filter(
    (child): child is XmlElement =>
      typeof child !== 'string' && child.name === name && child.namespace === element.namespace,
  );
}

/** Returns the attribute with a name. @param namespace by default none */
export function attributeOf(element: XmlElement, name: string, namespace = ''): XmlAttribute | undefined {
  return element.attributes.find((attribute) => attribute.name === name && attribute.namespace === namespace);
}

/** Returns the value of an attribute without a prefix; an empty text if there is none. */
export function attributeValue(element: XmlElement, name: string): string {
  return attributeOf(element, name)?.value ?? '';
}

/** Returns the namespaces that an element declares for prefixes. */
export function namespacesIn({ attributes }: XmlElement): Namespaces {
  const declared = attributes.filter(({ namespace }) => namespace === 'http://www.w3.org/2000/xmlns/');
  return new Map(declared.map(({ name, value }) => [name, value]));
}

/** Returns the text of an element and of the elements in it. */
export function textOf({ children }: XmlElement): string {
  return children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('');
}

/** Escapes a text for the content of an element. Its characters must be those of XML. */
export function escapeText(text: string): string {
  return text.replace(/[&<>\r]/g, (character) => ESCAPES[character] ?? character);
}

/** Escapes a text for an attribute in double quotes. Characters that XML lacks become U+FFFD. */
export function escapeAttribute(text: string): string {
  return text
    .replace(EACH_NOT_IN_XML, '\ufffd')
    .replace(/[&<>"\t\n\r]/g, (character) => ESCAPES[character] ?? character);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** Returns the edit that sets an attribute of an element, or adds it as the last one. */
export function setAttribute(element: XmlElement, text: string, name: string, value: string): Edit {
  const attribute = attributeOf(element, name);
  if (attribute)
    return { start: attribute.valueStart, end: attribute.end - 1, text: escapeFor(text, attribute, value) };
  const last = element.attributes.at(-1);
  const at = last?.end ?? endOfName(text, element.start);
  return { start: at, end: at, text: ` ${name}="${escapeAttribute(value)}"` };
}

function escapeFor(text: string, { end }: XmlAttribute, value: string): string {
  const escaped = escapeAttribute(value);
  return text.charAt(end - 1) === "'" ? escaped.replaceAll("'", '&apos;') : escaped;
}

function endOfName(text: string, start: number): number {
  return start + (/^<[^\s/>]+/.exec(text.slice(start, start + 1_000))?.[0].length ?? 1);
}

/** Returns the edit that removes an attribute with the white space before it. */
export function removeAttribute({ start, end }: XmlAttribute, text: string): Edit {
  return { start: text.slice(0, start).trimEnd().length, end, text: '' };
}
