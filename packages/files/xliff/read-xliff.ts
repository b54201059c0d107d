import { positionsIn } from '../../../lib/contract/text-position.ts';
import { TRANSLATION_STATUSES, type TranslationStatus } from '../../../lib/contract/translation-status.ts';
import { type DecodedFile, decodeFile, fileError } from '../decode.ts';
import type { FileFault } from '../file-fault.ts';
import type { SourceTexts } from '../source-file.ts';
import { type FileEntry, type ParsedFile, readBase, requireCode } from '../translation-file.ts';
import {
  attributeOf,
  attributeValue,
  childrenOf,
  type Namespaces,
  namespacesIn,
  parseXml,
  textOf,
  type XmlAttribute,
  type XmlElement,
} from '../xml.ts';
import { contextOf, type InlineContent, inlineContent, type UnitContext } from './inline.ts';
import { type Side, sideOf } from './protected-text.ts';
import { status1, status2 } from './states.ts';
import { projectIn, SEGUE_NAMESPACE, XLIFF_2 } from './vocabulary.ts';

/** A translation unit of an XLIFF document. */
export interface XliffUnit {
  readonly entry: FileEntry;
  /** The `<trans-unit>` or `<unit>`. */
  readonly element: XmlElement;
  /** The element that a missing target follows: `<source>`, or `<seg-source>` if there is one. */
  readonly before: XmlElement;
  readonly source: InlineContent;
  /** What is needed to read a target of the unit. */
  readonly context: UnitContext;
  readonly target: XmlElement | undefined;
  /** The element that has the state in XLIFF 2. */
  readonly segment: XmlElement | undefined;
  /** Whether a tool has divided the unit into several segments. */
  readonly isDivided: boolean;
  /** The status of the target by its state alone, without what qualifies the state. */
  readonly stateStatus: TranslationStatus;
}

/** An XLIFF document that was read. */
export interface XliffDocument {
  readonly file: DecodedFile;
  readonly root: XmlElement;
  readonly major: 1 | 2;
  readonly namespaces: Namespaces;
  readonly projectId: number | undefined;
  readonly units: readonly XliffUnit[];
  readonly faults: readonly FileFault[];
  /** What is wrong with the targets. A file is filled in all the same, because that replaces or keeps them. */
  readonly targetFaults: readonly FileFault[];
  readonly warnings: readonly FileFault[];
}

/** Reads a file in XLIFF 1.0 to 2.1. @throws {TranslationFileError} if it is not well-formed, or not XLIFF */
export function readXliff(file: Uint8Array | string): ParsedFile {
  const { projectId, units, faults, targetFaults, warnings } = readDocument(file);
  return { projectId, entries: units.map(({ entry }) => entry), faults: [...faults, ...targetFaults], warnings };
}

/** Returns the texts of a file in XLIFF. @throws {TranslationFileError} if it is not well-formed, or not XLIFF */
export function xliffTexts(bytes: Uint8Array): SourceTexts {
  const { root, major, units } = readDocument(bytes);
  const languages = major === 1 ? childrenOf(root, 'file') : [root];
  const [sourceLanguageCode, targetLanguageCode] = (
    major === 1 ? ['source-language', 'target-language'] : ['srcLang', 'trgLang']
  ).map((name) => languages.map((element) => attributeOf(element, name)?.value).find((code) => code !== undefined));
  const texts = units.flatMap(({ entry: { place, customIds: [customId] = [], source: content }, element }) =>
    content ? [{ place, customId, content, notes: notesIn(element) }] : [],
  );
  return { sourceLanguageCode, targetLanguageCode, texts };
}

function notesIn(unit: XmlElement): string | undefined {
  const notes = [unit, ...childrenOf(unit, 'notes')].flatMap((parent) => childrenOf(parent, 'note').map(textOf));
  return notes.join('\n') || undefined;
}

/** Reads an XLIFF document. @throws {TranslationFileError} if it is not well-formed, or not XLIFF */
export function readDocument(bytes: Uint8Array | string): XliffDocument {
  const file = decodeFile(bytes);
  const root = parseXml(file.text);
  const major = majorOf(root);
  const faults: FileFault[] = [];
  const targetFaults: FileFault[] = [];
  const warnings: FileFault[] = [];
  const placeOf = positionsIn(file.text);
  const files = childrenOf(root, 'file');
  const projectIds = new Set(files.map((each) => projectIn(attributeOf(each, 'original')?.value)));
  const units = files.flatMap((each) => {
    const isOwn = projectIn(attributeOf(each, 'original')?.value) !== undefined;
    const languageCode = requireCode(
      attributeOf(major === 1 ? each : root, major === 1 ? 'target-language' : 'trgLang')?.value,
    );
    const context = { text: file.text, placeOf, isOwn, languageCode, faults, targetFaults, warnings };
    return unitsIn(each, major, isTranslated(each)).flatMap((unit) =>
      major === 1 ? unit1(unit, context) : unit2(unit, context),
    );
  });
  if (projectIds.size > 1) {
    const detail = 'The file has translations of several projects. Import one file for each project.';
    faults.push({ place: placeOf(root.start), code: 'wrong-project', detail });
  }
  const [projectId] = projectIds;
  const namespaces = namespacesIn(root);
  return { file, root, major, namespaces, projectId, units, faults, targetFaults, warnings };
}

function majorOf(root: XmlElement): 1 | 2 {
  const version = attributeValue(root, 'version');
  if (root.name !== 'xliff') throw fileError('syntax', 'The file is XML, but not XLIFF.');
  if (/^1\.[0-2]$/.test(version)) return 1;
  if (/^2\.[01]$/.test(version) && root.namespace === XLIFF_2) return 2;
  throw fileError('wrong-version', 'The file must be XLIFF of version 1.0 to 1.2, 2.0 or 2.1.');
}

/** Whether the units of an element are translated, unless they say something else. */
function isTranslated(element: XmlElement, inherited = true): boolean {
  const value = attributeOf(element, 'translate')?.value;
  return value === undefined ? inherited : value !== 'no';
}

function unitsIn(parent: XmlElement, major: 1 | 2, isWanted: boolean): XmlElement[] {
  const name = major === 1 ? 'trans-unit' : 'unit';
  return parent.children.flatMap((child) => {
    if (typeof child === 'string' || child.namespace !== parent.namespace) return [];
    if (child.name === name) return isTranslated(child, isWanted) ? [child] : [];
    if (child.name !== 'body' && child.name !== 'group') return [];
    return unitsIn(child, major, isTranslated(child, isWanted));
  });
}

/** What is needed to read the units of a `<file>`. */
interface FileContext {
  readonly text: string;
  readonly placeOf: (index: number) => { readonly line: number; readonly column: number };
  /** Whether Segue made the file, so that ids of units are ids of segments. */
  readonly isOwn: boolean;
  readonly languageCode: string | undefined;
  readonly faults: FileFault[];
  readonly targetFaults: FileFault[];
  readonly warnings: FileFault[];
}

/** Returns the content of a target. A code that the source lacks is a fault. */
function targetContent(
  target: XmlElement,
  context: UnitContext,
  { placeOf, targetFaults }: FileContext,
  side: Side = sideOf(true),
): string {
  const { content, codes } = inlineContent(target, context, side);
  for (const { raw, start } of codes.filter(({ isNew }) => isNew)) {
    const detail = `The source of the unit has no code ${raw.slice(0, 100)}.`;
    targetFaults.push({ place: placeOf(start), code: 'unknown-code', detail });
  }
  return content;
}

function unit1(element: XmlElement, file: FileContext): XliffUnit[] {
  const [sourceElement] = childrenOf(element, 'source');
  if (!sourceElement) return [];
  const context = contextOf(element, file.text);
  const source = inlineContent(sourceElement, context, sideOf(false));
  const [target] = childrenOf(element, 'target');
  const [segSource] = childrenOf(element, 'seg-source');
  const parts = segSource ? segmentsIn(segSource) : [];
  const content = target && isWhole(parts, segmentsIn(target)) ? targetContent(target, context, file) : '';
  const states = {
    state: target && attributeOf(target, 'state')?.value,
    qualifier: target && attributeOf(target, 'state-qualifier')?.value,
    approved: attributeOf(element, 'approved')?.value,
  };
  const ids = ['resname', 'id'].map((name) => attributeOf(element, name)?.value);
  const entry = entryOf(element, file, { ids, source: source.content, content, status: status1(states) });
  const stateStatus = status1({ ...states, qualifier: undefined }) ?? 'draft';
  const before = segSource ?? sourceElement;
  const isDivided = parts.length > 1;
  return [{ entry, element, before, source, context, target, segment: undefined, isDivided, stateStatus }];
}

/** Returns the segments into which a tool divided a `<seg-source>` or `<target>` of XLIFF 1.2. */
function segmentsIn(element: XmlElement): XmlElement[] {
  return element.children.flatMap((child) => {
    if (typeof child === 'string') return [];
    const isSegment = child.name === 'mrk' && attributeOf(child, 'mtype')?.value === 'seg';
    return isSegment ? [child] : segmentsIn(child);
  });
}

/** Whether every part of a divided source has a translation. A target that is not divided counts as a whole. */
function isWhole(sources: readonly XmlElement[], targets: readonly XmlElement[]): boolean {
  if (targets.length === 0) return true;
  const translated = new Set(
    targets.filter(({ children }) => children.length > 0).map((part) => attributeOf(part, 'mid')?.value),
  );
  return sources.every((part) => part.children.length === 0 || translated.has(attributeOf(part, 'mid')?.value));
}

function unit2(element: XmlElement, file: FileContext): XliffUnit[] {
  const context = contextOf(element, file.text);
  const parts = element.children.flatMap((child) => {
    if (typeof child === 'string' || child.namespace !== element.namespace) return [];
    if (child.name !== 'segment' && child.name !== 'ignorable') return [];
    const [sourceElement] = childrenOf(child, 'source');
    const [target] = childrenOf(child, 'target');
    return sourceElement ? [{ segment: child, sourceElement, target }] : [];
  });
  const segments = parts.filter(({ segment }) => segment.name === 'segment');
  const [first] = segments;
  if (!first) return [];
  const [sourceSide, targetSide] = [sideOf(false), sideOf(true)];
  const sources = parts.map(({ sourceElement }) => inlineContent(sourceElement, context, sourceSide));
  const targets = parts.map(({ segment, target }, index) => {
    const translated = target ? targetContent(target, context, file, targetSide) : '';
    const content = translated === '' && segment.name === 'ignorable' ? (sources[index]?.content ?? '') : translated;
    const order = target && Number(attributeOf(target, 'order')?.value);
    return { content, order: order || index + 1, isMissing: content === '' && sources[index]?.content !== '' };
  });
  const states = segments.map(({ segment }) => ({
    state: attributeOf(segment, 'state')?.value,
    subState: attributeOf(segment, 'subState')?.value,
  }));
  const inOrder = targets.toSorted((one, other) => one.order - other.order);
  const entry = entryOf(element, file, {
    ids: ['name', 'id'].map((name) => attributeOf(element, name)?.value),
    source: sources.map(({ content }) => content).join(''),
    content: targets.some(({ isMissing }) => isMissing) ? '' : inOrder.map(({ content }) => content).join(''),
    status: lowest(states.map(status2)),
  });
  const [source = { content: '', codes: [] }] = sources;
  const { segment, sourceElement: before, target } = first;
  const stateStatus = lowest(states.map(({ state }) => status2({ state, subState: undefined }))) ?? 'draft';
  const isDivided = parts.length > 1;
  return [{ entry, element, before, source, context, target, segment, isDivided, stateStatus }];
}

function lowest(statuses: readonly (TranslationStatus | undefined)[]): TranslationStatus | undefined {
  return statuses.includes(undefined) ? undefined : TRANSLATION_STATUSES.find((status) => statuses.includes(status));
}

/** What a unit says, before its meaning is known. */
interface UnitTexts {
  /** The texts that may name the segment. The last is the id of the unit. */
  readonly ids: readonly (string | undefined)[];
  readonly source: string;
  readonly content: string;
  /** `undefined` for a state that XLIFF does not have. */
  readonly status: TranslationStatus | undefined;
}

/** Returns the attribute of a unit that has the base, if Segue wrote it. */
export function baseAttribute(unit: XmlElement): XmlAttribute | undefined {
  const attribute = attributeOf(unit, 'extradata') ?? attributeOf(unit, 'base', SEGUE_NAMESPACE);
  return readBase(attribute?.value) && attribute;
}

function entryOf(element: XmlElement, file: FileContext, { ids, source, content, status }: UnitTexts): FileEntry {
  const place = file.placeOf(element.start);
  const given = ids.filter((id) => id !== undefined);
  const id = given.at(-1) ?? '';
  // Some tools copy the source into the target to mark a unit as not yet translated.
  const isCopy = !file.isOwn && status === 'draft' && content === source;
  const entry = {
    place,
    languageCode: file.languageCode,
    source,
    content: isCopy ? '' : content,
    status: content === '' || isCopy ? 'untranslated' : (status ?? 'draft'),
    base: baseAttribute(element)?.value,
  } as const;
  if (status === undefined) {
    const detail = 'XLIFF has no such state. The translation counts as a draft.';
    file.warnings.push({ place, code: 'unknown-status', detail });
  }
  if (!file.isOwn) return { ...entry, customIds: given };
  if (/^[1-9]\d{0,15}$/.test(id)) return { ...entry, segmentId: Number(id) };
  file.faults.push({ place, code: 'missing-segment', detail: 'The id of the unit must be the id of a segment.' });
  return entry;
}
