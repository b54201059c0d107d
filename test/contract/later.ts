/** A rule of the documents that this suite does not test, and the reason. */
export interface LaterRow {
  /** The rule's heading in `service.md` or `decisions.md`. */
  readonly heading: string;
  readonly row: string;
  readonly reason: string;
}

const OTHER_CLOCK = 'needs another clock; tested below HTTP';
const ONE_KEY =
  'needs a second company or key, and a base URL comes with one; tested below HTTP until keys can be issued';
const HEALTHY = 'needs a fault of the service or store, and a base URL comes with healthy ones; tested below HTTP';

/** Every rule that the suite leaves out. If you write the tests of a row, delete the row here. */
export const LATER: readonly LaterRow[] = [
  { heading: 'Creating exactly once', row: 'a key is kept 7 days', reason: OTHER_CLOCK },
  { heading: 'Creating exactly once', row: 'a key is scoped to the company', reason: ONE_KEY },
  {
    heading: 'Credentials',
    row: 'two active keys; a revoked key stops within 60 s, at once for deletes',
    reason: ONE_KEY,
  },
  { heading: 'Credentials', row: 'expired access tokens, 60 s of skew', reason: OTHER_CLOCK },
  { heading: 'Deleting never widens', row: 'a tombstone is kept 30 days', reason: OTHER_CLOCK },
  { heading: 'Deleting never widens', row: 'to another company a tombstone is not there', reason: ONE_KEY },
  {
    heading: 'Deleting never widens',
    row: 'outcomes archived, refused, pending, unknown of an upstream',
    reason: 'needs a service that does so; tested below HTTP',
  },
  { heading: 'Errors', row: '401 invalid-signature', reason: 'comes with the webhook door' },
  { heading: 'Errors', row: '429 rate-limited', reason: 'comes with usage plans' },
  { heading: 'Errors', row: '403 scope-missing', reason: ONE_KEY },
  { heading: 'Errors', row: '404: another company’s project answers like one that never was', reason: ONE_KEY },
  { heading: 'Errors', row: '500 internal-error, 502, 503, 504', reason: HEALTHY },
];
