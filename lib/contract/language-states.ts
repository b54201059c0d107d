/** The states of a target language, the default first. */
export const STATES = ['InProgress', 'InPreparation'] as const;
export type LanguageState = (typeof STATES)[number];
