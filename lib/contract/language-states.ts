/** The states of a target language, the default first. */
export const STATES = ['InProgress', 'InPreparation'] as const;
