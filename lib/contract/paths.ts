// The paths that more than their operation needs. Those of the other operations are in `lib/operations`.

/** The path of the list of projects, and the beginning of the path of each. */
export const PROJECTS_PATH = '/segments/projects';
/** The beginning of the paths of operations. */
export const OPERATIONS_PATH = '/operations';
/** The beginning of the paths of webhook sources. */
export const WEBHOOKS_PATH = '/webhooks';
/** The path of the list of problem types, and the beginning of the URL of each. */
export const PROBLEMS_PATH = '/problems';
/** The path of the reference page, and the beginning of the paths of its files. */
export const REFERENCE_PATH = '/docs';
/** The path of the API description. */
export const DESCRIPTION_PATH = '/openapi.json';
/** The path at which API keys are exchanged for tokens, here and at an upstream service. */
export const TOKEN_PATH = '/authentication/token';
/** The paths of the lists that an upstream service has for its own clients, by the names of the lookups. */
export const LOOKUP_PATHS = {
  domains: '/Assets/api/Domains',
  users: '/Accounts/Users',
  collaborators: '/accounts/Collaborators',
  styleGuides: '/TextProcessing/StyleGuide',
} as const;

/** Whether a path, with or without a query, is that of a lookup. */
export function isLookupPath(path: string): boolean {
  return Object.values(LOOKUP_PATHS).some((lookup) => path === lookup || path.startsWith(`${lookup}?`));
}

/** Returns the path of a project. */
export function projectPath(ref: { readonly id: number } | { readonly customId: string }): string {
  return `${PROJECTS_PATH}/${'id' in ref ? ref.id : `custom/${encodeURIComponent(ref.customId)}`}`;
}
