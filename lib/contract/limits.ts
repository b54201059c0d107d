/** The published limits of the contract. Characters are Unicode code points, bytes are UTF-8. */
export const LIMITS = {
  bodyBytes: 4_194_304,
  signInBytes: 8_192,
  webhookBytes: 262_144,
  jsonDepth: 16,
  jsonValues: 500_000,
  jsonNames: 1_000,
  segments: 50_000,
  targetLanguages: 150,
  notesPerSegment: 200,
  membersPerTeam: 50,
  taskLanguages: 200_000,
  translations: 1_000,
  /** Sentences of all segments, times the languages with automatic translation. */
  automaticSentences: 2_000_000,
  contentBytes: 1_048_576,
  /** What divides the words of a content that an engine translates: line breaks, tags, placeholders and so on. */
  contentPieces: 20_000,
  customIdCharacters: 255,
  stringCharacters: 1_000,
  freeTextCharacters: 10_000,
  faults: 100,
  startDateToleranceMs: 300_000,
  listMax: 100,
  eventsMax: 1_000,
  segmentsMax: 1_000,
  /** One segment with its translations, in an answer. */
  shownSegmentBytes: 8_388_608,
  progressEntries: 100_000,
  wholeListProjects: 10_000,
  wholeListBytes: 67_108_864,
} as const;

/** The limits of Amazon API Gateway and AWS Lambda. The local gateway applies them too. */
export const GATEWAY_LIMITS = {
  requestBytes: 10_485_760,
  eventBytes: 6_291_456,
  answerBytes: 6_291_556,
  timeoutMs: 29_000,
} as const;

/** The lifetime of an access token, in seconds. */
export const ACCESS_TOKEN_SECONDS = 1_800;
/** The lifetime of a refresh token, in seconds. */
export const REFRESH_TOKEN_SECONDS = 86_400;
/** The maximum difference that Segue tolerates between the clocks of two machines, in seconds. */
export const CLOCK_SKEW_SECONDS = 60;
