import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { bundleFunction, ROOT } from '../../infra/bundle.ts';

/** The job of a measured function: `upstream` passes the project on, and `hosted` writes it to a table. */
export const JOBS = ['upstream', 'hosted'] as const;
export type Job = (typeof JOBS)[number];

export interface Candidate {
  readonly title: string;
  /** Writes the files of the deployed function to a folder. */
  readonly bundle: (job: Job, outdir: string) => Promise<void>;
}

export const SEGUE: Candidate = {
  title: 'Segue',
  async bundle(service, outdir) {
    await bundleFunction('functions/changeProjects.ts', { service, outdir });
  },
};

/** The function that receives webhook messages. It is the same for both services. */
export const RECEIVER = {
  title: 'webhook received, Segue',
  async bundle(outdir: string) {
    await bundleFunction('functions/receiveWebhook.ts', { service: 'hosted', outdir });
  },
};

/** The function that checks the credentials of each request before its operation runs. It is the same for both services. */
export const AUTHORIZER = {
  title: 'request authorised, Segue',
  async bundle(outdir: string) {
    await bundleFunction('functions/authorizer.ts', { service: 'hosted', outdir });
  },
};

/** The esbuild options that the peers' docs recommend for an ESM bundle with CommonJS modules. */
const ESM_WITH_REQUIRE = {
  format: 'esm',
  minify: true,
  banner: { js: "import { createRequire } from 'module';const require = createRequire(import.meta.url);" },
  outExtension: { '.js': '.mjs' },
} as const;

/** The peers of Segue. Each has the build settings of its own docs, and a bundle with the AWS SDK. */
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

/** Writes a handler that does nothing, to measure Lambda's runtime alone. */
export async function bundleNothing(outdir: string): Promise<void> {
  await mkdir(outdir, { recursive: true });
  await writeFile(join(outdir, 'index.mjs'), 'export const handler = async () => ({ statusCode: 201 });\n');
}
