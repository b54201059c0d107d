/** The groups of operations in the API description, in the order of the reference. */
export const TAGS = {
  Authentication: 'Exchange a company id and an API key for access tokens. Clients that send the key itself skip this.',
  Projects: 'Create, list, read and delete projects.',
  Results: 'Read the translations and the progress of a project.',
  Translations: 'Write translations, and start or stop the work on a language. Only the hosted service supports these.',
  Operations: 'Follow requests that run in the background, or whose answer was lost.',
  Events:
    'Learn about every change of a project: from the feed, or from signed webhooks to the `eventUrl` of the project.',
  Languages: 'Look up the ids and codes of languages.',
  Lookups: 'Look up the domains, people and style guides of an upstream service, if the operator allows it.',
  'Webhook sources': 'Send signed messages that create and delete projects. The operator of Segue adds the sources.',
  'About the API':
    'Check the API, and read its description and its problem pages. These operations need no credentials.',
} as const;

export type Tag = keyof typeof TAGS;
