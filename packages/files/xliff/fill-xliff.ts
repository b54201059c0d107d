import { rankOf } from '../../../lib/contract/translation-status.ts';
import { type Edit, encodeEdits } from '../edits.ts';
import { type FileFault, TranslationFileError } from '../file-fault.ts';
import {
  type FilledFile,
  type FillRules,
  faultsOfTarget,
  hasTranslation,
  keepsTranslation,
  type SkippedUnit,
  segmentFinder,
} from '../fill.ts';
import { groupBy } from '../group-by.ts';
import { lossFinder, markupDetail } from '../losses.ts';
import { NOT_IN_XML } from '../markup.ts';
import { splitByTexts } from '../split-by-texts.ts';
import { baseOf, type FileTranslation, type TranslationFile, tagOf } from '../translation-file.ts';
import {
  attributeOf,
  escapeAttribute,
  escapeText,
  type Namespaces,
  parseXml,
  removeAttribute,
  setAttribute,
  type XmlElement,
} from '../xml.ts';
import { inlineContent, type UnitContext } from './inline.ts';
import { sideOf } from './protected-text.ts';
import { baseAttribute, readDocument, type XliffDocument, type XliffUnit } from './read-xliff.ts';
import { STATES_1, STATES_2 } from './states.ts';
import { CONTROL_TYPE, hexOf } from './vocabulary.ts';

/**
 * Writes the translations of a project into an XLIFF file. Only the text of targets and their states change; every
 * other byte of the file stays as it is.
 * @throws {TranslationFileError} if the file cannot be read, or belongs to another project or language
 */
export function fillXliff(bytes: Uint8Array, translations: TranslationFile, rules: FillRules = {}): FilledFile {
  const document = readDocument(bytes);
  const { file, major, root, projectId, units } = document;
  const entries = units.map(({ entry }) => entry);
  const faults = [...document.faults, ...faultsOfTarget({ projectId, entries }, translations)];
  if (faults.length > 0) throw new TranslationFileError(faults);
  const find = segmentFinder(translations.segments, entries);
  const lossesOf = lossFinder(translations);
  const skipped: SkippedUnit[] = [];
  const warnings: FileFault[] = [];
  const edits: Edit[] = [];
  let [filled, untranslated] = [0, 0];
  for (const unit of units) {
    // No segment is empty.
    if (unit.entry.source === '') continue;
    const segment = find(unit.entry);
    const { place } = unit.entry;
    const skip = (reason: SkippedUnit['reason'], detail?: string) => skipped.push({ place, reason, detail });
    if (typeof segment === 'string') skip(segment);
    else if (!segment.translation) untranslated++;
    else if (keepsTranslation(unit.entry, segment.translation, rules)) {
      if (segment.translation.content !== unit.entry.content) skip('lower-status');
    } else {
      const isThere =
        hasTranslation(unit.entry, segment.translation) || isEnough(unit, segment.translation, document, rules);
      const { content } = segment.translation;
      const target = unit.isDivided || isThere ? undefined : inlineFor(content, unit, document);
      const losses = lossesOf({ segment, content, place });
      if (target !== undefined || isThere) warnings.push(...losses);
      else if (unit.isDivided) skip('divided');
      else skip('codes', markupDetail(losses, segment));
      if (target !== undefined) {
        edits.push(...editsOf(unit, segment.translation, target, document));
        filled++;
      }
    }
  }
  if (filled > 0 && major === 2 && !attributeOf(root, 'trgLang')) {
    edits.push(setAttribute(root, file.text, 'trgLang', tagOf(translations.languageCode)));
  }
  return { file: encodeEdits(file, edits), filled, untranslated, skipped, warnings };
}

/**
 * Whether the place of an equal text stays as it is: its state is that of other tools, and says no less than the status.
 * An unfinished status says nothing more.
 */
function isEnough(
  { entry, stateStatus }: XliffUnit,
  { content, status }: FileTranslation,
  { projectId }: XliffDocument,
  { reopen = false }: FillRules,
): boolean {
  if (entry.content !== content || projectId !== undefined || reopen) return false;
  return rankOf(status) < rankOf('translated') || rankOf(status) <= rankOf(stateStatus);
}

/** Returns the edits that give a unit its translation. @param inline the content of the target as XML */
function editsOf(
  { entry, element, segment, target, before }: XliffUnit,
  translation: FileTranslation,
  inline: string,
  { file: { text }, major }: XliffDocument,
): Edit[] {
  const edits: Edit[] = [];
  const base = baseAttribute(element);
  if (base) {
    const value = escapeAttribute(baseOf(translation, translation.status));
    edits.push({ start: base.valueStart, end: base.end - 1, text: value });
  }
  if (segment) {
    const { state, subState } = STATES_2[translation.status];
    edits.push(...attributeEdits(segment, { state, subState }, text));
  }
  const isSame = translation.content === entry.content;
  const { state, approved, ...own } = STATES_1[translation.status];
  // Where a text comes from stays true, and says nothing about a finished one.
  const keepsQualifier = isSame && target && rankOf(translation.status) >= rankOf('translated');
  const qualifier = keepsQualifier ? attributeOf(target, 'state-qualifier')?.value : own.qualifier;
  const states = major === 1 ? { state, 'state-qualifier': qualifier } : {};
  if (major === 1 && (approved || attributeOf(element, 'approved'))) {
    edits.push(setAttribute(element, text, 'approved', approved ? 'yes' : 'no'));
  }
  if (target && isSame) return [...edits, ...attributeEdits(target, states, text)];
  if (target) return [...edits, ...targetEdits(target, states, inline, text)];
  const name = `${prefixOf(before, text)}target`;
  const attributes = Object.entries(states).map(([key, value]) => (value === undefined ? '' : ` ${key}="${value}"`));
  const added = `<${name}${attributes.join('')}>${inline}</${name}>`;
  return [...edits, { start: before.end, end: before.end, text: `${indentBefore(before, text)}${added}` }];
}

function targetEdits(
  target: XmlElement,
  states: Readonly<Record<string, string | undefined>>,
  inline: string,
  text: string,
): Edit[] {
  const edits = attributeEdits(target, states, text);
  if (!target.isSelfClosing) return [...edits, { start: target.contentStart, end: target.contentEnd, text: inline }];
  const slash = text.lastIndexOf('/', target.contentStart);
  const endTag = `</${prefixOf(target, text)}target>`;
  return [...edits, { start: slash, end: target.contentStart, text: `>${inline}${endTag}` }];
}

/** Returns the edits that give an element these attributes. An attribute that is `undefined` is removed. */
function attributeEdits(
  element: XmlElement,
  values: Readonly<Record<string, string | undefined>>,
  text: string,
): Edit[] {
  const names = Object.keys(values);
  const added = names.filter((name) => values[name] !== undefined && !attributeOf(element, name));
  const changed = names.flatMap((name) => {
    const attribute = attributeOf(element, name);
    const value = values[name];
    if (!attribute) return [];
    return [value === undefined ? removeAttribute(attribute, text) : setAttribute(element, text, name, value)];
  });
  const addedTexts = added.map((name) => setAttribute(element, text, name, values[name] ?? ''));
  const [first] = addedTexts;
  // Added attributes are one edit, because edits at the same place have no order.
  return first ? [...changed, { ...first, text: addedTexts.map((edit) => edit.text).join('') }] : changed;
}

/** Returns the white space before an element, so that a new element can be indented like it. */
function indentBefore({ start }: XmlElement, text: string): string {
  return /(?:\r\n?|\n)[ \t]*$/.exec(text.slice(Math.max(0, start - 200), start))?.[0] ?? '';
}

function prefixOf({ start }: XmlElement, text: string): string {
  return /^<([^\s:/>]+:)/.exec(text.slice(start, start + 200))?.[1] ?? '';
}

/**
 * Writes a translation as the content of a target. Markup that is a code in the source becomes the same code; any other
 * markup becomes text. If the codes would overlap, all markup becomes text.
 * @returns `undefined` if codes without markup, which cannot become text, would overlap or have copies
 */
function inlineFor(
  content: string,
  { source, context }: XliffUnit,
  { major, namespaces }: XliffDocument,
): string | undefined {
  const free = groupBy(source.codes, (code) => code.content);
  const used = new Map<string, number>();
  let inline = '';
  for (const part of splitByTexts(content, [...free.keys()].filter(Boolean))) {
    const count = used.get(part) ?? 0;
    used.set(part, count + 1);
    const codes = free.get(part) ?? [];
    const copied = codes.slice(0, 1).find(({ isOpaque }) => isOpaque);
    // In XLIFF 1, a code may stand in a target more than once. In XLIFF 2, its copy would need an id of its own.
    if (!codes[count] && copied && major === 2) return undefined;
    inline += (codes[count] ?? copied)?.raw ?? encodeControls(part, major);
  }
  if (contentOf(`<target>${inline}</target>`, context, namespaces) === content) return inline;
  // As text, markup stays what it is. But a code that only stands for itself would no longer be one.
  return source.codes.some(({ isOpaque }) => isOpaque) ? undefined : encodeControls(content, major);
}

/** Returns the content of a `<target>` as a reader of the unit sees it. @returns `undefined` if it is not well-formed */
function contentOf(target: string, context: UnitContext, namespaces: Namespaces): string | undefined {
  try {
    return inlineContent(parseXml(target, namespaces), { ...context, text: target }, sideOf(true)).content;
  } catch {
    return undefined;
  }
}

/** Escapes a text, and writes the characters that XML lacks as codes. */
function encodeControls(text: string, major: 1 | 2): string {
  return text
    .split(new RegExp(`(${NOT_IN_XML.source})`, 'u'))
    .map((part) => {
      if (!NOT_IN_XML.test(part)) return escapeText(part);
      const hex = hexOf(part);
      return major === 2 ? `<cp hex="${hex}"/>` : `<ph id="c${hex}" ctype="${CONTROL_TYPE}">${hex}</ph>`;
    })
    .join('');
}
