import { type JsonPlace, jsonPlaces } from '../../lib/contract/json-places.ts';
import { lazy } from '../../lib/contract/lazy.ts';
import type { Place } from '../files/file-fault.ts';
import { detailOf } from './api-errors.ts';
import { escapeControls } from './io.ts';

/** A file in which a command found faults, or a part of the file. */
export interface FaultyFile {
  /** The path as the user gave it. */
  readonly path: string;
  /** The text of the file or of the part; `undefined` if it cannot be shown. */
  readonly text: string | undefined;
  /** The number of the first line of the text; 1 by default. */
  readonly firstLine?: number;
}

/** A fault to show in its file. */
export interface ShownFault {
  readonly place: Position | JsonPlace;
  readonly message: string;
}

/** A line of a file, from 1, and a column if the fault has one. */
type Position = Extract<Place, { readonly line: number }>;

/**
 * Formats each fault with its file, line and column. Below it are the line of the file and a caret; faults at the same
 * place share them.
 * @param indent the text before each line
 */
export function formatFaults(file: FaultyFile, faults: readonly ShownFault[], indent = ''): string {
  const positionOf = positionsOfPlaces(file.text);
  const lines = lazy(() => (file.text ?? '').split(/\r\n?|\n/));
  const excerpts = faults.map(({ place }) => {
    const position = positionOf(place);
    const line = position && lines()[position.line - 1];
    return { where: formatPosition(file, position), excerpt: line ? excerptOf(line, position?.column) : [] };
  });
  return faults
    .flatMap(({ message }, index) => {
      const { where = '', excerpt = [] } = excerpts[index] ?? {};
      const isShared = excerpts[index + 1]?.where === where;
      return [escapeControls(`${where}${message}`), ...(isShared ? [] : excerpt)];
    })
    .map((line) => `${indent}${line}\n`)
    .join('');
}

/** A fault of a problem, as its JSON has it. */
export interface ProblemFault {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
  readonly allowed?: readonly (string | number)[] | undefined;
}

interface ProblemFormat {
  /** The name of the checked value, for faults without a pointer. */
  readonly whole: string;
  /** The JSON pointer from the text to the checked value; by default the whole text was checked. */
  readonly base?: string;
  readonly indent?: string;
}

/** Formats the faults of a problem in the JSON text that caused it. */
export function formatProblemFaults(
  file: FaultyFile,
  faults: readonly ProblemFault[],
  { whole, base = '', indent }: ProblemFormat,
): string {
  const shown = faults.map(({ pointer, code, detail, allowed }) => ({
    place: { pointer: base + pointer, code },
    message: `${pointer || whole} ${code}: ${detailOf({ detail, allowed })}`,
  }));
  return formatFaults(file, shown, indent);
}

/** Returns a function that formats a place of a file, as `<path>:<line>:<column>: `. */
export function placesOf(file: FaultyFile): (place: Place) => string {
  const positionOf = positionsOfPlaces(file.text);
  return (place) => escapeControls(formatPosition(file, positionOf(place)));
}

function formatPosition({ path, firstLine = 1 }: FaultyFile, position: Position | undefined): string {
  if (!position) return '';
  const line = position.line + firstLine - 1;
  return `${[path, line, position.column].filter((part) => part !== undefined).join(':')}: `;
}

/** Returns a function that finds a place in a text. */
function positionsOfPlaces(text: string | undefined): (place: ShownFault['place']) => Position | undefined {
  if (text === undefined) return (place) => ('line' in place ? place : undefined);
  const placeOf = jsonPlaces(text);
  return (place) => ('line' in place ? place : placeOf(place));
}

/** How many characters of a line are shown before and after a fault. */
const BEFORE = 40;
const AFTER = 60;

/** Returns a part of a line, and a caret below a column if the column is known. */
function excerptOf(line: string, column: number | undefined): string[] {
  const at = unitsBefore(line, column ?? 1);
  const start = Math.max(0, at - BEFORE);
  const end = at + AFTER;
  const before = `${start > 0 ? '…' : ''}${printable(line.slice(start, at))}`;
  const after = `${printable(line.slice(at, end))}${end < line.length ? '…' : ''}`;
  return [`  ${before}${after}`, ...(column === undefined ? [] : [`  ${' '.repeat(widthOf(before))}^`])];
}

/** Returns the index of a column, which counts characters, in UTF-16 units. */
function unitsBefore(line: string, column: number): number {
  let units = 0;
  for (let left = column - 1; left > 0 && units < line.length; left--) {
    units += (line.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
  }
  return units;
}

/** Escapes control characters. A tab becomes a space, and half a character at the edge of an excerpt is left out. */
function printable(text: string): string {
  return escapeControls(text.replaceAll('\t', ' ').replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, ''));
}

const ZERO_WIDTH = /\p{M}/u;
const DOUBLE_WIDTH =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]/u;

/** Returns how many columns of a terminal a text takes. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += ZERO_WIDTH.test(character) ? 0 : DOUBLE_WIDTH.test(character) ? 2 : 1;
  return width;
}
