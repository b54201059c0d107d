import { isUtf8 } from 'node:buffer';
import { parse } from 'csv-parse/sync';
import * as z from 'zod/mini';
import type { FaultCode } from '../contract/fault.ts';
import { parseJson } from '../contract/json.ts';
import { nearest } from '../contract/nearest.ts';
import { Problem } from '../contract/problem.ts';
import { DELETION } from '../service/commands/delete.ts';

/** What a column may be: the project that is created, as JSON, or a field of what is deleted. */
const COLUMNS = ['create', ...Object.keys(DELETION)];

const Records = z.array(z.array(z.string()));

/** What ends a record for some program or other. Only one with a line feed ends it here. */
const RECORD_ENDS = ['\r\n', '\n', '\r'];

/**
 * Reads the header of CSV.
 * @throws {Problem} `invalid-parameter` where there is none, or a column that means nothing: its cells would be passed over
 */
export function readColumns(bytes: Uint8Array): string[] {
  const columns = cellsIn(bytes);
  if (columns.length === 0) throw unusable('required', `There is no header. Its columns are ${COLUMNS.join(', ')}.`);
  for (const [index, name] of columns.entries()) {
    if (!COLUMNS.includes(name)) {
      const meant = nearest(name, COLUMNS);
      const hint = meant.length > 0 ? `Did you mean ${meant.join(' or ')}?` : `The columns are ${COLUMNS.join(', ')}.`;
      throw unusable('unknown-field', `The header has a column that there is not. ${hint}`);
    }
    if (columns.indexOf(name) < index) throw unusable('duplicate-key', `The header has the column ${name} twice.`);
  }
  return columns;
}

/**
 * The command that a record of CSV spells, unchecked. A cell that is empty is a field that is left out.
 * @throws {Problem} `invalid-parameter` where it is no CSV or has too many cells or too few, `malformed-json`
 */
export function recordCommand(bytes: Uint8Array, columns: readonly string[]): unknown {
  const cells = cellsIn(bytes);
  if (cells.length !== columns.length) {
    const code = cells.length < columns.length ? 'too-few' : 'too-many';
    throw unusable(code, `The record has ${cells.length} cells, the header ${columns.length}.`);
  }
  const filled = columns.flatMap((name, index) => (cells[index] ? [[name, cells[index]] as const] : []));
  const { create, ...deletion } = Object.fromEntries(filled);
  return {
    ...(create !== undefined && { create: parseJson(Buffer.from(create)) }),
    ...(Object.keys(deletion).length > 0 && { delete: { ...deletion, ...projectIdIn(deletion) } }),
  };
}

/** In CSV everything is text; a number that is not plain stays one, and is refused as such. */
function projectIdIn({ projectId = '' }: Readonly<Record<string, string>>) {
  return /^[1-9]\d{0,15}$/.test(projectId) ? { projectId: Number(projectId) } : {};
}

function cellsIn(bytes: Uint8Array): string[] {
  if (!isUtf8(bytes)) throw unusable('encoding', 'The record is not UTF-8.');
  const [cells = [], ...others] = recordsIn(bytes);
  if (others.length > 0) throw unusable('syntax', 'The record has a carriage return in it: see to its line ends.');
  return cells;
}

function recordsIn(bytes: Uint8Array): string[][] {
  try {
    return Records.parse(parse(Buffer.from(bytes), { relax_column_count: true, record_delimiter: RECORD_ENDS }));
  } catch {
    // the parser's message quotes the record
    throw unusable('syntax', 'The record is not CSV: see to its quotes.');
  }
}

function unusable(code: FaultCode, detail: string): Problem {
  return new Problem('invalid-parameter', { detail, errors: [{ pointer: '', code, detail }] });
}
