import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type JsonObject, smallProject } from '../../support/projects.ts';

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
