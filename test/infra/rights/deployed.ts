import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Template } from 'aws-cdk-lib/assertions';
import { vi } from 'vitest';
import * as z from 'zod/mini';
import type { FunctionName } from '../../../infra/functions/catalogue.ts';
import { contextOf } from '../../lib/http/fixture.ts';
import { variablesOf } from '../template.ts';
import type { Aws } from './aws.ts';

const Bundle = z.object({
  handler: z.custom<(event: unknown, context: unknown) => Promise<unknown>>((value) => typeof value === 'function'),
});

/** The functions of a stack, in this process: each with its bundle and with what the template tells it. */
export interface Deployed {
  /** Calls a function that has so much time, in milliseconds. @returns its answer, or what it threw */
  call(name: FunctionName, event: unknown, remainingMs?: number): Promise<unknown>;
  /** What each function has asked AWS for while it started and worked. */
  readonly asked: ReadonlyMap<FunctionName, ReadonlySet<string>>;
}

export interface DeployedOptions {
  readonly template: Template;
  /** Where the bundles are, each in a folder of its name. */
  readonly folder: string;
  readonly aws: Aws;
  /** In place of what the template says, for those whom it tells something by these names. */
  readonly environment: Readonly<Record<string, string>>;
}

export function deployed({ template, folder, aws, environment }: DeployedOptions): Deployed {
  const asked = new Map<FunctionName, Set<string>>();
  return {
    asked,
    async call(name, event, remainingMs = 29_000) {
      const variables = { ...variablesOf(template, name), ...onAws(aws.url) };
      const told = Object.entries(environment).filter(([variable]) => variable in variables);
      for (const [variable, value] of [...Object.entries(variables), ...told]) vi.stubEnv(variable, value);
      try {
        const module: unknown = await import(pathToFileURL(join(folder, name, 'index.mjs')).href);
        return await Bundle.parse(module).handler(event, contextOf(remainingMs));
      } catch (error) {
        return error;
      } finally {
        vi.unstubAllEnvs();
        asked.set(name, new Set([...(asked.get(name) ?? []), ...aws.taken()]));
      }
    },
  };
}

function onAws(url: string) {
  return {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'nobody',
    AWS_SECRET_ACCESS_KEY: 'nothing',
    AWS_ENDPOINT_URL: url,
  };
}
