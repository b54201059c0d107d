import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hosted } from '../lib/hosted/fixture.ts';
import { openSqlite } from '../lib/storage/folder.ts';
import { callOf } from '../lib/support.ts';
import { type JsonObject, smallProject } from '../support/projects.ts';

/** The command that creates a small project, whose start date is each attempt's. */
export function creation(fields: JsonObject = {}) {
  const { startDateUtc: _, ...project } = smallProject(fields);
  return { create: project };
}

/** Writes a manifest of JSON Lines. @returns its path */
export function writeLines(folder: string, lines: readonly unknown[], name = 'manifest.jsonl'): string {
  const path = join(folder, name);
  writeFileSync(path, lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''));
  return path;
}

/** The names of a company's projects. */
export async function namesIn(folder: string, companyId = 'sandbox'): Promise<string[]> {
  const names: string[] = [];
  const service = hosted({ storage: openSqlite(Date.now, folder) });
  for (let after: number | undefined; ; ) {
    const page = await service.list({ limit: 100, after }, callOf(companyId));
    names.push(...page.projects.map(({ name }) => String(name)));
    if (page.next === undefined) return names.sort();
    after = page.next;
  }
}

/** The line that says what was done. */
export const summary = (stdout: string) => stdout.split('\n')[0];
