/** The fields that only the service adds, by the place a request would have them in. A client that posts back what it got learns it at once. */
export const SERVICE_FIELDS = {
  project: ['id', 'creationDateUtc', 'domain'],
  targetLanguage: ['id', 'progress', 'flag'],
  member: [
    'translationRate',
    'translationProductivity',
    'proofreadedBy',
    'proofreadingRate',
    'proofreadingProductivity',
  ],
  segment: ['id'],
  note: [],
} as const satisfies Record<string, readonly string[]>;
