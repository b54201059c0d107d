import * as z from 'zod/mini';
import {
  type BackgroundFunction,
  type BackgroundOptions,
  backgroundFunction,
  runDeadline,
} from '../background/background-function.ts';
import { CANARY_UNSET, type CanaryMode } from '../contract/canary.ts';
import { traceFrom } from '../service/trace.ts';
import { partnerApi } from './partner-api.ts';
import { CHECK_MS, CheckFailed, runChecks } from './run-checks.ts';

/** The schema of the canary's secret: the key of its company. */
const CanarySecret = z.object({ companyId: z.string(), apiKey: z.string() });

/** The dependencies of the canary. */
export interface CanaryDeps {
  /** The base URL of the API, as partners use it. */
  readonly baseUrl: string;
  readonly mode: CanaryMode;
  /** Reads the secret with the key of the canary, as JSON. */
  readonly readSecret: () => Promise<string>;
  /** How the canary pauses before it repeats a request. Default: real time. */
  readonly sleep?: (ms: number) => Promise<void>;
}

/**
 * Creates the function that uses the API like a partner. If a check fails, it logs an alert with the name of the check,
 * and the trace of the request that failed. It does not fail itself, because a repetition would hide nothing.
 */
export function canaryHandler(
  { baseUrl, mode, readSecret, sleep }: CanaryDeps,
  options: BackgroundOptions,
): BackgroundFunction {
  const { now } = options;
  return backgroundFunction(
    'canary',
    async (_event, context) => {
      const deadline = runDeadline(context, options);
      const { companyId, apiKey } = CanarySecret.parse(JSON.parse(await readSecret()));
      if (companyId === CANARY_UNSET) return { result: undefined, alerts: ['canary-without-key'] };
      const api = partnerApi({ baseUrl, companyId, apiKey, now, sleep, timeoutMs: CHECK_MS });
      try {
        await runChecks({ api, mode, now, deadline });
        return { result: undefined };
      } catch (failure) {
        if (!(failure instanceof CheckFailed)) throw failure;
        const { check, requestId } = failure;
        const trace = requestId === undefined ? {} : { traceId: traceFrom(requestId) };
        return { result: undefined, counts: { alert: 'canary-failed', check, companyId, ...trace }, failure };
      }
    },
    options,
  );
}
