import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { bundleFunction, ROOT } from '../../infra/bundle.ts';

/** What a function does with its event: pass the project on, or put it into a table. */
export const JOBS = ['upstream', 'hosted'] as const;
export type Job = (typeof JOBS)[number];

export interface Candidate {
  readonly title: string;
  /** Writes the deployed files into a folder. */
  readonly bundle: (job: Job, outdir: string) => Promise<void>;
}

export const SEGUE: Candidate = {
  title: 'Segue',
  async bundle(service, outdir) {
    await bundleFunction('functions/changeProjects.ts', { service, outdir });
  },
};

/** The function that receives webhook messages. It does not depend on the service. */
export const RECEIVER = {
  title: 'webhook received, Segue',
  async bundle(outdir: string) {
    await bundleFunction('functions/receiveWebhook.ts', { service: 'hosted', outdir });
  },
};

/** Recommended by their docs for a bundle that contains CommonJS. */
const ESM_WITH_REQUIRE = {
  format: 'esm',
  minify: true,
  banner: { js: "import { createRequire } from 'module';const require = createRequire(import.meta.url);" },
  outExtension: { '.js': '.mjs' },
} as const;

/** Each peer has the settings of its own docs. All bundle the SDK. */
export const PEERS: readonly Candidate[] = [
  peer('middy', { ...ESM_WITH_REQUIRE, legalComments: 'external' }),
  peer('powertools', { ...ESM_WITH_REQUIRE, mainFields: ['module', 'main'] }),
  peer('hono', {}),
];

function peer(title: string, options: BuildOptions): Candidate {
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

/** A handler that does nothing, to measure the runtime itself. */
export async function bundleNothing(outdir: string): Promise<void> {
  await mkdir(outdir, { recursive: true });
  await writeFile(join(outdir, 'index.mjs'), 'export const handler = async () => ({ statusCode: 201 });\n');
}
