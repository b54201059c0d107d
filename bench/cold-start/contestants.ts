import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { bundleFunction, ROOT } from '../../infra/bundle.ts';

/** What a function does with its event: passes the project on, or puts it into a table. */
export const JOBS = ['upstream', 'hosted'] as const;
export type Job = (typeof JOBS)[number];

export interface Contestant {
  readonly title: string;
  /** Writes what would be deployed into a folder. */
  readonly bundle: (job: Job, outdir: string) => Promise<void>;
}

export const SEGUE: Contestant = {
  title: 'Segue',
  async bundle(service, outdir) {
    await bundleFunction('functions/changeProjects.ts', { service, outdir });
  },
};

/** What takes in the messages of webhooks, whatever is behind Segue. */
export const RECEIVER = {
  title: 'webhook taken in, Segue',
  async bundle(outdir: string) {
    await bundleFunction('functions/receiveWebhook.ts', { service: 'hosted', outdir });
  },
};

/** What their documents recommend for a module that also bundles CommonJS. */
const ESM_WITH_REQUIRE = {
  format: 'esm',
  minify: true,
  banner: { js: "import { createRequire } from 'module';const require = createRequire(import.meta.url);" },
  outExtension: { '.js': '.mjs' },
} as const;

/** Each with the settings that its own documents have; the SDK is bundled in all. */
export const PEERS: readonly Contestant[] = [
  peer('middy', { ...ESM_WITH_REQUIRE, legalComments: 'external' }),
  peer('powertools', { ...ESM_WITH_REQUIRE, mainFields: ['module', 'main'] }),
  peer('hono', {}),
];

function peer(title: string, options: BuildOptions): Contestant {
  return {
    title,
    async bundle(job, outdir) {
      await build({
        absWorkingDir: ROOT,
        entryPoints: { index: fileURLToPath(new URL(`peers/${title}/${job}.js`, import.meta.url)) },
        outdir,
        bundle: true,
        platform: 'node',
        target: 'node24',
        logLevel: 'warning',
        ...options,
      });
    },
  };
}

/** A handler that does nothing: what the runtime costs by itself. */
export async function bundleNothing(outdir: string): Promise<void> {
  await mkdir(outdir, { recursive: true });
  await writeFile(join(outdir, 'index.mjs'), 'export const handler = async () => ({ statusCode: 201 });\n');
}
