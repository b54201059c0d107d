/** What the welcome shows. */
export interface Welcome {
  readonly url: string;
  readonly companyId: string;
  /** The key that Segue made; absent if the person has set a key, which is never shown. */
  readonly keptKey: string | undefined;
  readonly isSuspended: boolean;
}

/** What a person needs for a first request, to paste into sh, bash or zsh. The last line is the sign that Segue is ready. */
export function welcome({ url, companyId, keptKey, isSuspended }: Welcome): string {
  return [
    keptKey === undefined
      ? 'In another terminal, set SEGUE_API_KEY to your key, and paste this line:'
      : 'In another terminal, paste these two lines:',
    '',
    `export SEGUE_URL=${url} SEGUE_COMPANY_ID=${companyId}`,
    ...(keptKey === undefined ? [] : [`export SEGUE_API_KEY=${keptKey}`]),
    '',
    'Then create a first project:',
    '',
    FIRST_REQUEST,
    '',
    `The reference of the API: ${url}/docs`,
    '',
    ...(isSuspended
      ? [
          `${companyId} is suspended: every request gets 401 until you run`,
          `npm run segue -- company resume ${companyId}`,
          '',
        ]
      : []),
    `Segue is ready at ${url}`,
    '',
  ].join('\n');
}

/** The start date must be now, so the shell fills it in. */
const FIRST_REQUEST = `curl -sS "$SEGUE_URL/segments/projects" -u "$SEGUE_COMPANY_ID:$SEGUE_API_KEY" \\
  -H 'Content-Type: application/json' -d @- <<EOF
{
  "name": "Spring catalogue",
  "startDateUtc": "$(date -u +%Y-%m-%dT%H:%M:%SZ)",
  "endDateUtc": "2099-12-31T12:00:00Z",
  "sourceLanguageCode": "en-GB",
  "targetLanguages": [{ "targetLanguageCode": "de-DE", "serviceAutomaticTranslation": true }],
  "segments": [{ "content": "<p>Hello, world</p>", "taskId": "front-page" }]
}
EOF`;
