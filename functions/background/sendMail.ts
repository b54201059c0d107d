import { mailHandler } from '../../lib/background/mail-handler.ts';
import { companyIds, openMailSender } from '../compose/mail.ts';

export const handler = mailHandler(openMailSender, companyIds, { now: Date.now });
