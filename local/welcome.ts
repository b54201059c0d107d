const YEAR_MS = 31_536_000_000;

/** What a person needs for a first request; the last line is the sign that Segue is ready. */
export function welcome(url: string, companyId: string, apiKey: string, nowMs: number): string {
  return [
    `Company id: ${companyId}`,
    `API key:    ${apiKey}`,
    '',
    'Create a first project:',
    '',
    curlLine(url, `${companyId}:${apiKey}`, new Date(nowMs + YEAR_MS)),
    '',
    `Segue is ready at ${url}`,
    '',
  ].join('\n');
}

/** A command for sh. The start date must be now, so it is filled in when the command is run. */
function curlLine(url: string, user: string, end: Date): string {
  const project = JSON.stringify({
    name: 'A first project',
    startDateUtc: '<now>',
    endDateUtc: `${end.toISOString().slice(0, 19)}Z`,
    sourceLanguageCode: 'en-US',
    targetLanguages: [{ targetLanguageCode: 'de-DE', serviceAutomaticTranslation: true }],
    segments: [{ content: 'Hello, world!' }],
  });
  const body = quoted(project).replace('<now>', `'"$(date -u +%Y-%m-%dT%H:%M:%SZ)"'`);
  return `curl -sS -u ${quoted(user)} -H 'Content-Type: application/json' -d ${body} ${url}/segments/projects`;
}

/** One word for sh, whatever is in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
