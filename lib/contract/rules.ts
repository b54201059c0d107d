import type { Fault } from './faults.ts';
import { LANGUAGES_LISTED, type Language, languageByCode, languageById, unknownCode } from './languages.ts';
import { LIMITS } from './limits.ts';
import { fieldsOf, isListOf, pointerTo } from './pointer.ts';

/** The id and code of a language in a request. They may have a wrong type, which the schema rejects. */
interface NamedLanguage {
  readonly id: unknown;
  readonly code: unknown;
}

/** The place where a request names a language. */
interface LanguageFields {
  /** The path of the object that has the two fields. */
  readonly path: readonly PropertyKey[];
  readonly idField: string;
  readonly codeField: string;
}

/**
 * Finds a language by the id and the code in a request, one of which may be absent. Returns faults instead if one is
 * unknown, or if both contradict each other.
 */
function findLanguage(
  { id, code }: NamedLanguage,
  { path, idField, codeField }: LanguageFields,
): { language?: Language; faults: Fault[] } {
  const faults: Fault[] = [];
  const at = (field: string) => pointerTo([...path, field]);
  if (isAbsent(id) && isAbsent(code)) {
    const detail = `Name the language with ${idField}, ${codeField}, or both.`;
    return { faults: [{ pointer: at(codeField), code: 'required', detail }] };
  }
  const isId = typeof id === 'number' && Number.isSafeInteger(id) && id > 0;
  const byId = isId ? languageById(id) : undefined;
  const byCode = typeof code === 'string' ? languageByCode(code) : undefined;
  if (isId && !byId) {
    const detail = `No language has this id. ${LANGUAGES_LISTED}`;
    faults.push({ pointer: at(idField), code: 'unknown-language', detail });
  }
  if (typeof code === 'string' && !byCode) faults.push(unknownCode(code, at(codeField)));
  if (byId && byCode && byId.id !== byCode.id) {
    const detail = `The id names ${byId.langCode}, but the code names ${byCode.langCode}. Leave one out, or make them agree.`;
    faults.push({ pointer: at(codeField), code: 'language-mismatch', detail, allowed: [byId.langCode] });
  }
  const language = byId ?? byCode;
  return { ...(language && faults.length === 0 && { language }), faults };
}

const TARGET = { idField: 'targetLanguageId', codeField: 'targetLanguageCode' } as const;

/**
 * Yields the faults of a project's languages: unknown languages, targets that equal the source, and repeated targets.
 */
export function* languageFaults(project: Readonly<Record<string, unknown>>): Generator<Fault> {
  const source = findLanguage(
    { id: project['sourceLanguageId'], code: project['sourceLanguageCode'] },
    { path: [], idField: 'sourceLanguageId', codeField: 'sourceLanguageCode' },
  );
  yield* source.faults;
  if (!isListOf(project['targetLanguages'], LIMITS.targetLanguages)) return;
  const seen = new Map<number, number>();
  for (const [index, entry] of entriesOf(project['targetLanguages'])) {
    const { targetLanguageId: id, targetLanguageCode: code } = entry;
    const path = ['targetLanguages', index];
    const { language, faults } = findLanguage({ id, code }, { path, ...TARGET });
    yield* faults;
    if (!language) continue;
    const pointer = pointerTo([...path, isAbsent(code) ? TARGET.idField : TARGET.codeField]);
    if (language.id === source.language?.id) {
      yield { pointer, code: 'same-as-source', detail: 'A target language must differ from the source language.' };
    }
    const first = seen.get(language.id);
    if (first === undefined) seen.set(language.id, index);
    else {
      const detail = `The target language at index ${first} is the same. List each language once.`;
      yield { pointer, code: 'duplicate-language', detail };
    }
  }
}

/**
 * Yields a fault for each team with a proofreader but no translator. The contract assigns status 500 to this fault. The
 * schema reports malformed members and roles. So this function skips a team with a malformed member, and reads a
 * malformed `isTranslator` as `true`.
 */
export function* translatorFaults(targetLanguages: unknown): Generator<Fault> {
  for (const [index, { team }] of entriesOf(targetLanguages)) {
    let readable = 0;
    let hasProofreader = false;
    let mayHaveTranslator = false;
    for (const [, { isProofreader, isTranslator }] of entriesOf(team)) {
      readable++;
      hasProofreader ||= isProofreader === true;
      mayHaveTranslator ||= !isAbsent(isTranslator) && isTranslator !== false;
    }
    const isWhole = Array.isArray(team) && readable === team.length;
    if (isWhole && hasProofreader && !mayHaveTranslator) {
      yield {
        pointer: pointerTo(['targetLanguages', index, 'team']),
        code: 'team-without-translator',
        detail: 'A team with a proofreader needs a translator. Add one, or remove the proofreader.',
      };
    }
  }
}

/**
 * Yields the faults of teams that `translatorFaults` does not yield: a missing team for human translation or
 * proofreading, and repeated members.
 */
export function* teamFaults(targetLanguages: unknown): Generator<Fault> {
  for (const [index, entry] of entriesOf(targetLanguages)) {
    const { team, managedProject, serviceTranslation, serviceProofreading } = entry;
    const path = ['targetLanguages', index, 'team'];
    const isManaged = !isAbsent(managedProject) && managedProject !== false;
    const manual = (serviceTranslation === true || serviceProofreading === true) && !isManaged;
    if (manual && (isAbsent(team) || (Array.isArray(team) && team.length === 0))) {
      const detail =
        'Human translation or proofreading requires a team of at least one member, unless managedProject is true.';
      yield { pointer: pointerTo(path), code: 'team-needed', detail };
    }
    if (!isListOf(team, LIMITS.membersPerTeam)) continue;
    yield* duplicates(team, path, 'id', (id) => id);
    yield* duplicates(team, path, 'username', (name) => (typeof name === 'string' ? name.toLowerCase() : undefined));
  }
}

function* duplicates(
  team: unknown,
  path: readonly PropertyKey[],
  field: 'id' | 'username',
  identity: (value: unknown) => unknown,
): Generator<Fault> {
  const seen = new Map<unknown, number>();
  for (const [index, member] of entriesOf(team)) {
    const value = identity(member[field]);
    if (isAbsent(value)) continue;
    const first = seen.get(value);
    if (first === undefined) seen.set(value, index);
    else {
      const detail = `The team member at index ${first} has the same ${field}. List each user once.`;
      yield { pointer: pointerTo([...path, index, field]), code: 'duplicate-member', detail };
    }
  }
}

/** Yields the faults of the languages that a segment's notes name. */
export function* noteFaults(notes: unknown, path: readonly PropertyKey[]): Generator<Fault> {
  for (const [index, { languageId: id, languageCode: code }] of entriesOf(notes)) {
    const place = { path: [...path, index], idField: 'languageId', codeField: 'languageCode' };
    yield* findLanguage({ id, code }, place).faults;
  }
}

/**
 * Yields a fault if a project has too many tasks for its number of target languages. Progress and assignments have an
 * entry for each task and language.
 */
export function* taskFaults(project: Readonly<Record<string, unknown>>): Generator<Fault> {
  const { taskId: own, targetLanguages, segments } = project;
  if (!isListOf(targetLanguages, LIMITS.targetLanguages) || !isListOf(segments, LIMITS.segments)) return;
  const most = LIMITS.taskLanguages;
  if ((segments.length + 1) * targetLanguages.length <= most) return;
  const ids = new Set([own]);
  let last: unknown = own;
  for (const segment of segments) {
    const id = fieldsOf(segment)?.['taskId'] ?? own;
    // Segments of a task mostly stand together, and comparing is faster than looking in the set.
    if (id !== last) ids.add(id);
    last = id;
  }
  const tasks = [...ids].filter((id) => typeof id === 'string').length;
  if (tasks * targetLanguages.length <= most) return;
  const fewer = Math.floor(most / targetLanguages.length);
  const detail = `The project has ${tasks} tasks. With ${targetLanguages.length} target languages, it may have ${fewer}: tasks times target languages must be at most ${most}. Divide it into several projects, or use fewer tasks.`;
  yield { pointer: '/segments', code: 'too-many', detail };
}

/** Yields the objects of a list with their indexes. Skips entries that are not objects, which the schema rejects. */
function* entriesOf(value: unknown): Generator<[number, Readonly<Record<string, unknown>>]> {
  if (!Array.isArray(value)) return;
  for (let index = 0; index < value.length; index++) {
    const entry: unknown = value[index];
    const fields = Array.isArray(entry) ? undefined : fieldsOf(entry);
    if (fields) yield [index, fields];
  }
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}
