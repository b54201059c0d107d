import { Problem } from '../../contract/problem.ts';

/** What people take for a manifest, by its first line, and how to convert it. */
const OTHER_FORMATS: readonly { readonly looksLike: (line: string) => boolean; readonly detail: string }[] = [
  {
    looksLike: (line) => line.startsWith('['),
    detail: "The manifest is a JSON array. Convert it to JSON Lines: jq -c '.[]' manifest.json > manifest.jsonl",
  },
  {
    looksLike: (line) => line === '{',
    detail:
      'The manifest has JSON that goes over several lines. Write each command on one line: jq -c . manifest.json > manifest.jsonl',
  },
  {
    looksLike: isCsvHeader,
    detail:
      'The manifest looks like CSV. Write each record as a command on a line of its own, such as {"delete":{"scope":"project","customId":"manual/4.9"}}',
  },
];

/** Names in quotes or without, between commas, semicolons or tabs. */
function isCsvHeader(line: string): boolean {
  const cells = line.split(/[,;\t]/);
  const isName = (cell: string) => /^\s*("?)[\p{L}_][\p{L}\p{N} _.-]*\1\s*$/u.test(cell);
  return cells.length > 1 ? cells.every(isName) : /^"?(create|scope|projectId|customId|taskId)"?$/.test(line);
}

/**
 * Looks at the first line of a manifest. A line that is only faulty is not judged here.
 * @throws {Problem} `invalid-parameter` if the manifest is another format
 */
export function requireJsonLines(firstLine: Uint8Array): void {
  const line = Buffer.from(firstLine).toString().trim();
  const found = OTHER_FORMATS.find(({ looksLike }) => looksLike(line));
  if (!found) return;
  const { detail } = found;
  throw new Problem('invalid-parameter', { detail, errors: [{ pointer: '', code: 'syntax', detail }] });
}
