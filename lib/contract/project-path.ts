/** The path of the list of projects, and the beginning of the path of each. */
export const PROJECTS_PATH = '/segments/projects';

/** Returns the path of a project. */
export function projectPath(ref: { readonly id: number } | { readonly customId: string }): string {
  return `${PROJECTS_PATH}/${'id' in ref ? ref.id : `custom/${encodeURIComponent(ref.customId)}`}`;
}
