import { ledger } from '#platform';
import { companiesIn } from '../../lib/credentials/companies.ts';
import type { Deadline } from '../../lib/service/deadline.ts';
import { type Audited, audit as auditProjects } from '../../lib/upstream/audit.ts';
import { behind } from './upstream-behind.ts';
import { upstreamSettings } from './upstream-settings.ts';

/** Compares what the service behind has with what the companies own. */
export async function audit(deadline: Deadline): Promise<Audited> {
  const companies = companiesIn(ledger(), Date.now).list();
  const ids = await Array.fromAsync(companies, ({ companyId }) => companyId);
  return auditProjects({ ...behind, ...upstreamSettings() }, ids, deadline);
}
