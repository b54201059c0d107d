import { requireActiveCompany } from '../../lib/credentials/company-record.ts';
import { items } from './aws-items.ts';

/** The companies in the table. */
export const requireCompany = requireActiveCompany(items);
