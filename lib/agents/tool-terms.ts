/** What texts for programs over HTTP say to an agent, which sees tools and their arguments. The first ones come first. */
const TERMS: readonly (readonly [RegExp, string])[] = [
  [/\. In a query, write \+ as %2B/g, ''],
  [/ With Accept-Encoding: gzip, more fits\./g, ''],
  [/: GET \/problems lists all types/g, ''],
  [/GET …\/progress/g, 'getProgress'],
  [/GET \/integrations\/languages/g, 'listLanguages'],
  [/The header Location, problems/g, 'Problems'],
  [/The id in the path/g, 'The id'],
  [/With a custom id, the path is \S+\/\{customId\}\./g, 'Give a custom id as customId.'],
  [/^The query is invalid\./g, 'The arguments are wrong.'],
  [/(?:the header )?Idempotency-Key/gi, 'idempotencyKey'],
  [/(?:the header )?If-Match/gi, 'plan'],
];

/** Says a text about requests in the terms of tools. */
export function inToolTerms(text: string): string {
  return TERMS.reduce((said, [term, instead]) => said.replace(term, instead), text);
}
