import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocks, ROOT, read, sh } from '../docs/world.ts';
import { temporaryFolder } from '../lib/storage/folder.ts';
import type { StartedGateway } from '../support/gateway.ts';
import type { ContentSystem, SystemName } from './systems.ts';

const recipeOf = (name: SystemName) => `examples/content-systems/${name}`;

/** Copies the recipe of a system into a new folder, for its stand-in. @returns the folder */
function copyRecipe({ name, url, urlInRecipe }: ContentSystem): string {
  const folder = temporaryFolder();
  cpSync(join(ROOT, recipeOf(name)), folder, { recursive: true });
  for (const file of readdirSync(folder)) {
    const path = join(folder, file);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(urlInRecipe, url));
  }
  return folder;
}

/** Connects a content system to a Segue with the commands of its page in `docs/`. */
export async function connectAsDocumented(system: ContentSystem, gateway: StartedGateway): Promise<void> {
  const { name, url, urlInRecipe, variables } = system;
  const commands = blocks(read(`docs/${name}.md`), 'sh').filter((block) => !block.startsWith('npm start'));
  const script = ['set -e', ...commands]
    .join('\n')
    .replaceAll(recipeOf(name), copyRecipe(system))
    .replaceAll(new URL(urlInRecipe).host, new URL(url).host);
  const printed = await sh(script, {
    SEGUE_DATA_DIR: gateway.dataDir,
    SEGUE_COMPANY_ID: gateway.companyId,
    ...variables,
  });
  system.connect(gateway.url);
  const secret = /^Secret: (\S+)$/m.exec(printed)?.[1];
  if (secret !== undefined) system.setSecret(secret);
}
