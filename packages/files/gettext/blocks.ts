import { positionsIn } from '../../../lib/contract/text-position.ts';
import { type FileFault, TranslationFileError } from '../file-fault.ts';
import { type PoToken, tokensIn } from './tokens.ts';

/** An entry of a gettext file. Positions are indices of the file's text. */
export interface PoBlock {
  /** The number of the line on which the message starts, from 1. */
  readonly line: number;
  /** Where the comments start; the same as `message` if there are none. */
  readonly start: number;
  /** Where the message starts. */
  readonly message: number;
  /** Where the first `msgstr` starts. */
  readonly translation: number;
  readonly end: number;
  readonly msgctxt: string | undefined;
  readonly msgid: string;
  /** Absent for an entry without plural forms. */
  readonly msgidPlural: string | undefined;
  /** The texts of each `msgstr`. An entry without plural forms has one. */
  readonly msgstr: readonly string[];
  readonly isFuzzy: boolean;
  /** The comments that were extracted for translators, which begin with `#.`. */
  readonly extracted: string;
}

/** A gettext file as text and entries. Obsolete entries count as comments. */
export interface PoFile {
  readonly text: string;
  /** The headers by their names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** The entries without the header. */
  readonly blocks: readonly PoBlock[];
}

/** The largest number of plural forms of an entry. No language has more than a few, and joining them takes quadratic time. */
const MAX_FORMS = 100;

/**
 * Divides a gettext file into its entries.
 * @throws {TranslationFileError} with everything that is not gettext
 */
export function parsePo(text: string): PoFile {
  const lineOf = linesIn(text);
  const groups = groupsIn(text);
  const faults = [...domainFaults(groups, lineOf), ...groups.flatMap((group) => faultOf(group, lineOf) ?? [])];
  if (faults.length > 0) throw new TranslationFileError(faults);
  const all = groups.flatMap((group) => blockOf(group, lineOf) ?? []);
  const header = all.find(({ msgid, msgctxt }) => msgid === '' && msgctxt === undefined);
  return { text, headers: headersIn(header?.msgstr[0] ?? ''), blocks: all.filter((block) => block !== header) };
}

function linesIn(text: string): (index: number) => number {
  const positionOf = positionsIn(text);
  return (index) => positionOf(index).line;
}

/** A keyword with its texts. */
interface Part {
  /** Empty for texts without a keyword. */
  readonly key: string;
  /** The number of a plural form. */
  readonly form: number | undefined;
  readonly start: number;
  end: number;
  readonly texts: string[];
}

/** Comments and the parts below them: an entry, if it has all its parts. */
interface Group {
  readonly start: number;
  readonly comments: string[];
  readonly parts: Part[];
}

/** Divides a file into groups, each of which ends with its translations. */
function groupsIn(text: string): Group[] {
  const groups: Group[] = [];
  let group: Group | undefined;
  for (const token of tokensIn(text)) {
    if (token.kind === 'comment' && token.text.startsWith('~')) {
      group = undefined;
      continue;
    }
    if (!group || startsNext(group, token)) {
      group = { start: token.start, comments: [], parts: [] };
      groups.push(group);
    }
    addTo(group, token);
  }
  return groups;
}

function startsNext({ parts }: Group, token: PoToken): boolean {
  const last = parts.at(-1)?.key;
  if (token.kind === 'comment') return last === 'msgstr' || last === 'domain';
  if (token.kind === 'text') return false;
  const isStart = token.key === 'msgctxt' || token.key === 'msgid' || token.key === 'domain';
  return isStart && last !== undefined && !(token.key === 'msgid' && last === 'msgctxt');
}

function addTo({ comments, parts }: Group, token: PoToken): void {
  const { start, end } = token;
  const last = parts.at(-1);
  if (token.kind === 'comment') comments.push(token.text);
  else if (token.kind === 'key') parts.push({ key: token.key, form: token.form, start, end, texts: [] });
  else if (last) {
    last.texts.push(token.text);
    last.end = end;
  } else parts.push({ key: '', form: undefined, start, end, texts: [token.text] });
}

/** Returns what a group lacks to be an entry. */
function faultOf({ start, comments, parts }: Group, lineOf: (index: number) => number): FileFault | undefined {
  const [first, second] = parts;
  if (!first || first.key === 'domain') return undefined;
  const fault = (at: number, detail: string, code: FileFault['code'] = 'syntax') => {
    return { place: { line: lineOf(at) }, code, detail };
  };
  if (first.key !== 'msgctxt' && first.key !== 'msgid') {
    if (comments.length > 0) return fault(start, 'A comment must not stand between the translations of an entry.');
    return fault(first.start, 'The entry needs a msgid before this line.');
  }
  const message = first.key === 'msgid' ? first : second;
  const translations = parts.filter(({ key }) => key === 'msgstr');
  if (message?.key !== 'msgid' || translations.length === 0) {
    return fault(first.start, 'The entry needs a msgid and a msgstr.');
  }
  const extra = translations[MAX_FORMS];
  if (extra) return fault(extra.start, `The entry has more than ${MAX_FORMS} translations.`, 'too-large');
  const unnumbered = translations.find(({ form = 0 }, index) => form !== index);
  if (unnumbered)
    return fault(unnumbered.start, 'The translations of an entry must have the numbers 0, 1, 2 and so on.');
  const between = parts.slice(parts.indexOf(message) + 1, -translations.length);
  const isInOrder = between.length === 0 || (between.length === 1 && between[0]?.key === 'msgid_plural');
  return isInOrder ? undefined : fault(between.at(-1)?.start ?? start, 'The entry has this keyword at another place.');
}

/** Returns the fault of a file that has several catalogues. */
function domainFaults(groups: readonly Group[], lineOf: (index: number) => number): FileFault[] {
  const domains = groups.flatMap(({ parts: [part] }) => (part?.key === 'domain' ? [part] : []));
  const other = domains.find(({ texts }) => texts.join('') !== domains[0]?.texts.join(''));
  if (!other) return [];
  const detail = 'Here begins a second domain. Divide the file into one file for each domain.';
  return [{ place: { line: lineOf(other.start) }, code: 'not-allowed', detail }];
}

function blockOf({ start, comments, parts }: Group, lineOf: (index: number) => number): PoBlock | undefined {
  const [first, last] = [parts[0], parts.at(-1)];
  const translation = parts.find(({ key }) => key === 'msgstr');
  if (!first || !last || !translation) return undefined;
  const textsOf = (key: string) => parts.flatMap((part) => (part.key === key ? [part.texts.join('')] : []));
  const linesAfter = (mark: string) =>
    comments.flatMap((comment) => (comment.startsWith(mark) ? [comment.slice(1).trimStart()] : [])).join('\n');
  return {
    line: lineOf(first.start),
    start,
    message: first.start,
    translation: translation.start,
    end: last.end,
    msgctxt: textsOf('msgctxt')[0] || undefined,
    msgid: textsOf('msgid')[0] ?? '',
    msgidPlural: textsOf('msgid_plural')[0],
    msgstr: textsOf('msgstr'),
    isFuzzy: flagsIn(linesAfter(',')).includes('fuzzy'),
    extracted: linesAfter('.'),
  };
}

/** Splits the flags of a comment. */
export function flagsIn(text: string): string[] {
  return text
    .split(/[,\n]/)
    .map((flag) => flag.trim())
    .filter(Boolean);
}

function headersIn(text: string): ReadonlyMap<string, string> {
  const pairs = text.split('\n').map((line) => /^([^:]+):(.*)$/.exec(line) ?? []);
  return new Map(pairs.map(([, name = '', value = '']) => [name.trim().toLowerCase(), value.trim()]));
}
