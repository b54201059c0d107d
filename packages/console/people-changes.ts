import type { NewProject, TargetLanguageRequest, TeamMemberRequest } from '../client/index.ts';

type Languages = NewProject['targetLanguages'];

/** The services that work on a language: the field of each, its label and its hint. */
export const SERVICES = [
  [
    'managedProject',
    'Segue assigns the tasks',
    'Each task goes to a person of this language. Otherwise, the tasks are assigned outside of Segue.',
  ],
  ['serviceTranslation', 'People translate', 'A person with the role of a translator writes the translations.'],
  ['serviceProofreading', 'People proofread', 'A second person, a proofreader, checks each translation.'],
  [
    'serviceAutomaticTranslation',
    'Machine translation first',
    'A machine fills in what nobody has translated yet. This counts towards the daily limit, and may be charged.',
  ],
] as const;

export const ROLES = [
  ['isProjectManager', 'Project manager'],
  ['isTranslator', 'Translator'],
  ['isProofreader', 'Proofreader'],
  ['isInCountryReviewer', 'In-country reviewer'],
] as const;

/** What a user has changed of the work on a language. */
export type LanguagePeople = Pick<TargetLanguageRequest, 'team' | (typeof SERVICES)[number][0]>;
/** What a user has changed of a project's people, by language. */
export type PeopleChanges = Readonly<Record<string, LanguagePeople>>;

/** Returns the code of a language, or its id if it has none. */
export function codeOf({ targetLanguageCode, targetLanguageId }: TargetLanguageRequest): string {
  return String(targetLanguageCode ?? targetLanguageId);
}

/** Returns the languages with other people. A language that nobody has changed stays as it is. */
export function withPeople(languages: Languages, changes: PeopleChanges = {}): Languages {
  return languages.map((language) => ({ ...language, ...changes[codeOf(language)] }));
}

/**
 * Adds what a user has changed of a language to the other changes.
 * @param language the language as it is saved
 * @returns `undefined` if everything is again as it is saved
 */
export function withChange(
  changes: PeopleChanges = {},
  language: TargetLanguageRequest,
  change: LanguagePeople,
): PeopleChanges | undefined {
  const code = codeOf(language);
  const { [code]: before, ...others } = changes;
  const after = { ...before, ...change };
  const all = changesOf(language, { ...language, ...after }).length > 0 ? { ...others, [code]: after } : others;
  return Object.keys(all).length > 0 ? all : undefined;
}

/** A change of the work on a language: what happens, to whom or what, and the roles of a person. */
export type Change = readonly [what: string, name: string, roles?: string];

/** Returns what changes between two versions of a language, in words. */
export function changesOf(before: TargetLanguageRequest, after: TargetLanguageRequest): Change[] {
  const [old, next] = [before.team ?? [], after.team ?? []];
  const removed = old.filter((person) => !next.some((other) => isSamePerson(person, other)));
  return [
    ...next.flatMap((person): Change[] => {
      const known = old.find((other) => isSamePerson(person, other));
      if (known && describe(known) === describe(person)) return [];
      return [[known ? 'Changed' : 'Added', person.name, rolesOf(person)]];
    }),
    ...removed.map(({ name }): Change => ['Removed', name]),
    ...SERVICES.flatMap(([field, label]): Change[] => {
      const isOn = after[field] === true;
      return (before[field] === true) === isOn ? [] : [[isOn ? 'Turned on' : 'Turned off', label]];
    }),
  ];
}

/** Whether two entries are one person, who may have got another name, e-mail address or number, but not all of them. */
function isSamePerson(one: TeamMemberRequest, other: TeamMemberRequest): boolean {
  return one.username === other.username || (one.id === other.id && one.name === other.name);
}

const describe = ({ id, name, username, ...roles }: TeamMemberRequest) =>
  JSON.stringify([id, name, username, rolesOf(roles)]);

/** Returns the roles of a person in words. */
export function rolesOf(person: Omit<TeamMemberRequest, 'id' | 'name' | 'username'>): string {
  const roles = ROLES.flatMap(([field, role]) => (person[field] === true ? [role] : []));
  return roles.join(', ') || 'No role';
}
