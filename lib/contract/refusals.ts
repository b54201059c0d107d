/** Why credentials were refused, for the log alone: a caller learns only that they are missing or wrong. */
export const REFUSALS = {
  malformed: 'They are missing, or no Basic credentials, API key or token of Segue.',
  'unknown-company': 'The company does not exist.',
  'unknown-key': 'The company exists and has no key of this id.',
  'wrong-key': 'The key id is right, and the rest of the key is wrong.',
  revoked: 'The key was revoked.',
  suspended: 'The company is suspended.',
  'wrong-token': 'The signature or a claim of the token is wrong.',
  'expired-token': 'The token was good and has expired.',
  'ended-family': 'The token’s family ended: a refresh token was used twice, or nothing is known of the family.',
  'evicted-family': 'The token’s family ended: its key has 100 newer sign-ins.',
  'reused-token': 'The refresh token was used before. This ended its family.',
} as const;
export type Refusal = keyof typeof REFUSALS;
