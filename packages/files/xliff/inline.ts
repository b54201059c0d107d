import { positionsIn } from '../../../lib/contract/text-position.ts';
import { fileError } from '../decode.ts';
import { attributeOf, attributeValue, childrenOf, textOf, type XmlElement } from '../xml.ts';
import { followMarkers, isProtected, markerKey, type Side } from './protected-text.ts';
import { CONTROL_TYPE, characterOf } from './vocabulary.ts';

/** A code in a `<source>` or `<target>`: a tag or element that is not text, and what it stands for in the content. */
export interface InlineCode {
  /**
   * The markup that the code stands for. A code without markup of its own stands for itself, as `<x id="1"/>`, and a range
   * that must not be translated for `<mrk translate="no">…</mrk>`.
   */
  readonly content: string;
  /** The code in the file, and where it begins. */
  readonly raw: string;
  readonly start: number;
  /** Whether the code has no markup, and the unit has no such code before. */
  readonly isNew: boolean;
  /** Whether the code has no markup, so that it only stands for itself. */
  readonly isOpaque: boolean;
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
  const data = new Map(entries.map((entry) => [attributeValue(entry, 'id'), dataIn(entry)]));
  const left = CODES_LENGTH.least + CODES_LENGTH.times * (unit.end - unit.start);
  return { text, data, known: new Map(), start: unit.start, length: { left } };
}

function dataIn(element: XmlElement): string {
  return element.children.map((child) => (typeof child === 'string' ? child : controlIn(child))).join('');
}

function controlIn(element: XmlElement): string {
  return element.name === 'cp' ? characterOf(attributeValue(element, 'hex')) : '';
}

/** The codes of a unit that have been read, and the side that they are on. */
interface Found {
  readonly codes: InlineCode[];
  readonly side: Side;
}

/** Reads the content of a `<source>` or `<target>`. Read the sources of a unit before its targets, all in their order. */
export function inlineContent(element: XmlElement, context: UnitContext, side: Side): InlineContent {
  const found = { codes: [], side };
  return { content: readChildren(element, context, found), codes: found.codes };
}

/** Reads what is in an element. A range whose text must not be translated is one code. */
function readChildren({ children, contentStart, contentEnd }: XmlElement, context: UnitContext, found: Found): string {
  const { open } = found.side;
  const rangeFrom = (start: number) => ({ start, innerStart: start, key: undefined });
  let range: Omit<ProtectedRange, 'end' | 'innerEnd'> | undefined = open.size > 0 ? rangeFrom(contentStart) : undefined;
  let content = '';
  for (const child of children) {
    if (typeof child === 'string') {
      if (!range) content += child;
      continue;
    }
    if (!range && child.name !== 'sm') {
      content += readChild(child, context, found);
      // A marker in the element may end after it.
      if (open.size > 0) range = rangeFrom(child.end);
      continue;
    }
    followMarkers(child, context, found.side);
    const { start, end } = child;
    if (open.size > 0) range ??= { start, innerStart: end, key: markerKey(child, context) };
    else if (range) {
      content += addProtected({ ...range, innerEnd: child.name === 'em' ? start : end, end }, context, found);
      range = undefined;
    }
  }
  if (range) content += addProtected({ ...range, innerEnd: contentEnd, end: contentEnd }, context, found);
  return content;
}

function readChild(child: XmlElement, context: UnitContext, found: Found): string {
  const read = Object.hasOwn(READERS, child.name) ? READERS[child.name] : undefined;
  return (read ?? readOpaque)(child, context, found);
}

type Reader = (element: XmlElement, context: UnitContext, found: Found) => string;

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
  mrk: readMarker,
  em: () => '',
};

function readNative(element: XmlElement, context: UnitContext, found: Found): string {
  if (attributeOf(element, 'dataRef')) return readReference(element, context, found);
  const text = textOf(element);
  const isCharacter = attributeOf(element, 'ctype')?.value === CONTROL_TYPE;
  return addCode(element, isCharacter ? characterOf(text) : text, context, found);
}

function readReference(element: XmlElement, context: UnitContext, found: Found): string {
  return addCode(element, context.data.get(attributeValue(element, 'dataRef')) ?? '', context, found);
}

function readCharacter(element: XmlElement, { text }: UnitContext, { codes }: Found): string {
  const content = controlIn(element);
  const { start, end } = element;
  codes.push({ content, raw: text.slice(start, end), start, isNew: false, isOpaque: false });
  return content;
}

function readOpaque(element: XmlElement, context: UnitContext, found: Found): string {
  return addCode(element, '', context, found);
}

/** Adds the code of a whole element. Without markup, it stands for the markup of the source's code, or for itself. */
function addCode(element: XmlElement, markup: string, context: UnitContext, found: Found): string {
  const { start, end } = element;
  return pushCode({ content: markup || undefined, start, end, key: keyOf(element) }, context, found);
}

/** A code with its range in the file. Its content may be that of a code before with the same key. */
interface GivenCode {
  readonly content: string | undefined;
  /** What the code stands for if it has no markup. By default, that is the code. */
  readonly standIn?: string;
  readonly start: number;
  readonly end: number;
  readonly key: string;
}

/** Adds a code, and returns its content. @throws {TranslationFileError} if the codes stand for too much */
function pushCode(given: GivenCode, { text, known, start, length }: UnitContext, { codes }: Found): string {
  const raw = text.slice(given.start, given.end);
  // The prefix of the namespace is that of the file, and no part of the text.
  const standIn = given.standIn ?? raw.replace(/^(<\/?)[^\s:/>]+:/, '$1');
  const content = given.content ?? known.get(given.key) ?? standIn;
  const isNew = given.content === undefined && !known.has(given.key);
  if (!known.has(given.key)) known.set(given.key, content);
  length.left -= content.length;
  if (length.left < 0) {
    const { line, column } = positionsIn(text)(start);
    const detail = 'The codes of the unit stand for much more markup than the unit has characters.';
    throw fileError('too-large', detail, line, column);
  }
  codes.push({ content, raw, start: given.start, isNew, isOpaque: content === standIn });
  return content;
}

/** A range of the file whose text must not be translated, and the range without markers at its ends. */
interface ProtectedRange {
  readonly start: number;
  readonly innerStart: number;
  readonly innerEnd: number;
  readonly end: number;
  /** Absent for a range that goes on after the end of an element. */
  readonly key: string | undefined;
}

/** Adds a range as one code, and returns its content, in which an engine sees that it stays as it is. */
function addProtected(range: ProtectedRange, context: UnitContext, found: Found): string {
  const inner = context.text.slice(range.innerStart, range.innerEnd);
  if (inner === '') return '';
  const { start, end, key = `mrk ${inner}` } = range;
  return pushCode(
    { content: undefined, standIn: `<mrk translate="no">${inner}</mrk>`, start, end, key },
    context,
    found,
  );
}

/** Reads a marker. It only annotates its text, unless it says that the text must not be translated. */
function readMarker(marker: XmlElement, context: UnitContext, found: Found): string {
  if (!isProtected(marker, context, found.side)) return readChildren(marker, context, found);
  const { start, contentStart: innerStart, contentEnd: innerEnd, end } = marker;
  return addProtected({ start, innerStart, innerEnd, end, key: markerKey(marker, context) }, context, found);
}

/** Reads an element with text between two codes: `<pc>`, whose codes have original data, or `<g>`. */
function readPair(element: XmlElement, context: UnitContext, found: Found): string {
  const { data } = context;
  if (element.isSelfClosing) {
    const both = `${data.get(attributeValue(element, 'dataRefStart')) ?? ''}${data.get(attributeValue(element, 'dataRefEnd')) ?? ''}`;
    return addCode(element, both, context, found);
  }
  // A tool may write the start and the end of a pair as two codes.
  const [first, last] = element.name === 'pc' ? ['sc', 'ec'] : ['bx', 'ex'];
  const add = (name: string, attribute: string, start: number, end: number) => {
    const content = data.get(attributeValue(element, attribute));
    return pushCode({ content, start, end, key: keyOf(element, name) }, context, found);
  };
  const before = add(first, 'dataRefStart', element.start, element.contentStart);
  const inner = readChildren(element, context, found);
  return before + inner + add(last, 'dataRefEnd', element.contentEnd, element.end);
}

/** Returns a text that a code shares with its copies. In XLIFF 2, the end of a pair refers to its start. */
function keyOf(element: XmlElement, name = element.name): string {
  const ids = ['copyOf', 'startRef', 'id'].map((attribute) => attributeValue(element, attribute));
  return `${name} ${ids.find((id) => id !== '') ?? ''}`;
}
