import { audit } from '#service';
import { auditor } from '../../lib/background/auditor.ts';

export const handler = auditor(audit, { now: Date.now });
