import { BASE_URL_RULE, readBaseUrl } from '../contract/base-url.ts';
import { cursorAfter } from '../contract/parameters.ts';
import type { ProjectRef } from '../service/port.ts';

/** Where projects are, behind the base URL. */
export const PROJECTS_PATH = '/segments/projects';

/**
 * Reads the base URL of the service.
 * @throws {TypeError} without the URL, which may hold a password
 */
export function serviceUrl(text: string): URL {
  const url = readBaseUrl(text, { protocols: ['http', 'https'] });
  if (!url) {
    throw new TypeError(`The base URL of the service must be ${BASE_URL_RULE}`);
  }
  return url;
}

/** A project, or a task of it. */
export function projectPath(ref: ProjectRef, taskId?: string): string {
  const project = 'id' in ref ? String(ref.id) : `custom/${encodeURIComponent(ref.customId)}`;
  return `${PROJECTS_PATH}/${project}${taskId === undefined ? '' : `?taskId=${encodeURIComponent(taskId)}`}`;
}

/** A page of projects. */
export function pagePath({ limit, after }: { readonly limit: number; readonly after?: number | undefined }): string {
  return `${PROJECTS_PATH}?limit=${limit}${after === undefined ? '' : `&cursor=${cursorAfter(after)}`}`;
}
