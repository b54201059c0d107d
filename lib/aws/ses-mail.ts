import { SESv2Client, type SESv2ClientConfig, SendEmailCommand } from '@aws-sdk/client-sesv2';
import type { SendMail } from '../service/mail.ts';

/** The errors that say that Amazon SES never sends this e-mail. */
const REJECTIONS: readonly string[] = ['MessageRejected', 'BadRequestException'];

/** Creates the client of Amazon SES. */
export function sesClient(config: SESv2ClientConfig = {}): SESv2Client {
  return new SESv2Client(config);
}

/** Makes the function that sends e-mails with Amazon SES. @param from the address of the sender, which SES must know */
export function sesMail(client: Pick<SESv2Client, 'send'>, from: string): SendMail {
  return async ({ to, subject, text }) => {
    const command = new SendEmailCommand({
      FromEmailAddress: from,
      Destination: { ToAddresses: [to] },
      Content: {
        Simple: {
          Subject: { Data: subject, Charset: 'UTF-8' },
          Body: { Text: { Data: text, Charset: 'UTF-8' } },
          Headers: [{ Name: 'Auto-Submitted', Value: 'auto-generated' }],
        },
      },
    });
    try {
      await client.send(command);
      return 'sent';
    } catch (error) {
      if (error instanceof Error && REJECTIONS.includes(error.name)) return 'rejected';
      throw error;
    }
  };
}
