import { positionsIn } from '../../../contract/text-position.ts';
import { fileError } from '../decode.ts';
import { attributeOf, childrenOf, textOf, type XmlElement } from '../xml.ts';
import { CONTROL_TYPE, characterOf } from './vocabulary.ts';

/** A code in a `<source>` or `<target>`: a tag or element that is not text, and what it stands for in the content. */
export interface InlineCode {
  /** The markup that the code stands for. A code without markup of its own stands for itself, as `<x id="1"/>`. */
  readonly content: string;
  /** The code in the file, and where it begins. */
  readonly raw: string;
  readonly start: number;
  /** Whether the code has no markup, and the unit has no such code before. */
  readonly isNew: boolean;
}

/** The content of a `<source>` or `<target>`. */
export interface InlineContent {
  readonly content: string;
  readonly codes: readonly InlineCode[];
}

/** What is needed to read the codes of a unit. */
export interface UnitContext {
  /** The text of the file. */
  readonly text: string;
  /** The texts of `<originalData>` by their ids; empty in XLIFF 1. */
  readonly data: ReadonlyMap<string, string>;
  /** The content of the source's codes by name and id. Tools may write codes without their markup into the target. */
  readonly known: Map<string, string>;
  /** How many characters more codes may stand for, because many short codes may stand for the same long markup. */
  readonly length: { left: number };
  /** Where the unit begins in the file. */
  readonly start: number;
}

/** How many characters the codes of a unit may stand for: these, and a multiple of the unit's length. */
const CODES_LENGTH = { least: 65_536, times: 16 };

/** Creates the context of a unit. */
export function contextOf(unit: XmlElement, text: string): UnitContext {
  const entries = childrenOf(unit, 'originalData').flatMap((all) => childrenOf(all, 'data'));
  const data = new Map(entries.map((entry) => [attributeOf(entry, 'id')?.value ?? '', dataIn(entry)]));
  const left = CODES_LENGTH.least + CODES_LENGTH.times * (unit.end - unit.start);
  return { text, data, known: new Map(), start: unit.start, length: { left } };
}

function dataIn(element: XmlElement): string {
  return element.children.map((child) => (typeof child === 'string' ? child : controlIn(child))).join('');
}

function controlIn(element: XmlElement): string {
  return element.name === 'cp' ? characterOf(attributeOf(element, 'hex')?.value ?? '') : '';
}

/** Reads the content of a `<source>` or `<target>`. Read the source of a unit before its target. */
export function inlineContent(element: XmlElement, context: UnitContext): InlineContent {
  const codes: InlineCode[] = [];
  const content = element.children.map((child) => readChild(child, context, codes)).join('');
  return { content, codes };
}

function readChild(child: XmlElement | string, context: UnitContext, codes: InlineCode[]): string {
  if (typeof child === 'string') return child;
  const read = Object.hasOwn(READERS, child.name) ? READERS[child.name] : undefined;
  return (read ?? readOpaque)(child, context, codes);
}

type Reader = (element: XmlElement, context: UnitContext, codes: InlineCode[]) => string;

const READERS: Readonly<Record<string, Reader>> = {
  // Codes of XLIFF 1 that contain their markup. XLIFF 2 has another <ph>, which is empty.
  bpt: readNative,
  ept: readNative,
  it: readNative,
  ph: readNative,
  sc: readReference,
  ec: readReference,
  pc: readPair,
  g: readPair,
  cp: readCharacter,
  // Markers only annotate the text.
  mrk: (element, context, codes) => element.children.map((child) => readChild(child, context, codes)).join(''),
  sm: () => '',
  em: () => '',
};

function readNative(element: XmlElement, context: UnitContext, codes: InlineCode[]): string {
  if (attributeOf(element, 'dataRef')) return readReference(element, context, codes);
  const text = textOf(element);
  const isCharacter = attributeOf(element, 'ctype')?.value === CONTROL_TYPE;
  return addCode(element, isCharacter ? characterOf(text) : text, context, codes);
}

function readReference(element: XmlElement, context: UnitContext, codes: InlineCode[]): string {
  return addCode(element, context.data.get(attributeOf(element, 'dataRef')?.value ?? '') ?? '', context, codes);
}

function readCharacter(element: XmlElement, { text }: UnitContext, codes: InlineCode[]): string {
  const content = controlIn(element);
  codes.push({ content, raw: text.slice(element.start, element.end), start: element.start, isNew: false });
  return content;
}

function readOpaque(element: XmlElement, context: UnitContext, codes: InlineCode[]): string {
  return addCode(element, '', context, codes);
}

/** Adds the code of a whole element. Without markup, it stands for the markup of the source's code, or for itself. */
function addCode(element: XmlElement, markup: string, context: UnitContext, codes: InlineCode[]): string {
  const { start, end } = element;
  return pushCode({ content: markup || undefined, start, end, key: keyOf(element) }, context, codes);
}

/** A code with its range in the file. Its content may be that of a code before with the same key. */
interface GivenCode {
  readonly content: string | undefined;
  readonly start: number;
  readonly end: number;
  readonly key: string;
}

/** Adds a code, and returns its content. @throws {TranslationFileError} if the codes stand for too much */
function pushCode(given: GivenCode, { text, known, start, length }: UnitContext, codes: InlineCode[]): string {
  const raw = text.slice(given.start, given.end);
  const content = given.content ?? known.get(given.key) ?? raw;
  const isNew = given.content === undefined && !known.has(given.key);
  if (!known.has(given.key)) known.set(given.key, content);
  length.left -= content.length;
  if (length.left < 0) {
    const { line, column } = positionsIn(text)(start);
    const detail = 'The codes of the unit stand for much more markup than the unit has characters.';
    throw fileError('too-large', detail, line, column);
  }
  codes.push({ content, raw, start: given.start, isNew });
  return content;
}

/** Reads an element with text between two codes: `<pc>`, whose codes have original data, or `<g>`. */
function readPair(element: XmlElement, context: UnitContext, codes: InlineCode[]): string {
  const { data } = context;
  if (element.isSelfClosing) {
    const both = `${data.get(attributeValue(element, 'dataRefStart')) ?? ''}${data.get(attributeValue(element, 'dataRefEnd')) ?? ''}`;
    return addCode(element, both, context, codes);
  }
  // A tool may write the start and the end of a pair as two codes.
  const [first, last] = element.name === 'pc' ? ['sc', 'ec'] : ['bx', 'ex'];
  const add = (name: string, attribute: string, start: number, end: number) => {
    const content = data.get(attributeValue(element, attribute));
    return pushCode({ content, start, end, key: keyOf(element, name) }, context, codes);
  };
  const before = add(first, 'dataRefStart', element.start, element.contentStart);
  const inner = element.children.map((child) => readChild(child, context, codes)).join('');
  return before + inner + add(last, 'dataRefEnd', element.contentEnd, element.end);
}

/** Returns a text that a code shares with its copies. In XLIFF 2, the end of a pair refers to its start. */
function keyOf(element: XmlElement, name = element.name): string {
  const ids = ['copyOf', 'startRef', 'id'].map((attribute) => attributeValue(element, attribute));
  return `${name} ${ids.find((id) => id !== '') ?? ''}`;
}

function attributeValue(element: XmlElement, attribute: string): string {
  return attributeOf(element, attribute)?.value ?? '';
}
