import type { TranslationStatus } from '../../../lib/contract/translation-status.ts';

/** The states that XLIFF 1.2 has for a status. */
interface State1 {
  readonly state: string;
  readonly qualifier?: string;
  readonly approved?: true;
}

/** The states that XLIFF 2 has for a status. */
interface State2 {
  readonly state: string;
  readonly subState?: string;
}

type Translated = Exclude<TranslationStatus, 'untranslated'>;

/** The statuses in XLIFF 1.2. A segment that is untranslated has no `<target>`. */
export const STATES_1: Readonly<Record<Translated, State1>> = {
  draft: { state: 'needs-translation' },
  automatic: { state: 'needs-review-translation', qualifier: 'mt-suggestion' },
  pretranslated: { state: 'needs-review-translation', qualifier: 'leveraged-tm' },
  translated: { state: 'translated' },
  proofread: { state: 'signed-off', approved: true },
};

/** The statuses in XLIFF 2. */
export const STATES_2: Readonly<Record<Translated, State2>> = {
  draft: { state: 'initial', subState: 'segue:draft' },
  automatic: { state: 'initial', subState: 'segue:automatic' },
  pretranslated: { state: 'initial', subState: 'segue:pretranslated' },
  translated: { state: 'translated' },
  proofread: { state: 'reviewed' },
};

const DONE_1: Readonly<Record<string, TranslationStatus>> = {
  translated: 'translated',
  'signed-off': 'proofread',
  final: 'proofread',
};
const STATE_1 =
  /^(?:new|needs-(?:translation|l10n|adaptation|review-(?:translation|l10n|adaptation))|translated|signed-off|final|x-.*)$/s;
const FROM_MACHINE = /^(?:mt-suggestion|leveraged-mt)$/;
const FROM_MEMORY = /^(?:exact-match|fuzzy-match|id-match|tm-suggestion|leveraged-(?!mt)[\w-]+)$/;

/**
 * Returns the status of a translation in XLIFF 1.2. `approved` and the states that mean done decide before a qualifier,
 * because tools change the state and leave the qualifier.
 * @returns `undefined` if XLIFF has no such state
 */
export function status1({
  state,
  qualifier,
  approved,
}: Readonly<Record<'state' | 'qualifier' | 'approved', string | undefined>>): TranslationStatus | undefined {
  if (state !== undefined && !STATE_1.test(state)) return undefined;
  if (approved === 'yes') return 'proofread';
  const done = DONE_1[state ?? 'translated'];
  if (done && !(state === undefined && qualifier !== undefined)) return done;
  if (FROM_MACHINE.test(qualifier ?? '')) return 'automatic';
  return FROM_MEMORY.test(qualifier ?? '') ? 'pretranslated' : 'draft';
}

const STATUSES_2: Readonly<Record<string, TranslationStatus>> = {
  initial: 'draft',
  translated: 'translated',
  reviewed: 'proofread',
  final: 'proofread',
};
const INITIAL_STATUSES: Readonly<Record<string, TranslationStatus>> = {
  'segue:automatic': 'automatic',
  'segue:pretranslated': 'pretranslated',
};

/**
 * Returns the status of a translation in XLIFF 2. A translation without a state counts as translated, although the
 * default of the format is `initial`: many tools write no states.
 * @returns `undefined` if XLIFF has no such state
 */
export function status2({
  state = 'translated',
  subState = '',
}: Readonly<Record<'state' | 'subState', string | undefined>>): TranslationStatus | undefined {
  const found = Object.hasOwn(STATUSES_2, state) ? STATUSES_2[state] : undefined;
  return state === 'initial' ? (INITIAL_STATUSES[subState] ?? found) : found;
}
