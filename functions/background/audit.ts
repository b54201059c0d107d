import { audit } from '#service';
import { auditor } from '../../lib/background/audit.ts';

export const handler = auditor(audit, { now: Date.now });
